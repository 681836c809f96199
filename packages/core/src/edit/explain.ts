/** Says to the model, in few words, why an edit was refused and what to do. Nothing was changed whenever this speaks. */
import type { EditRefusal } from './plan.ts';

/** Lines of the region are shown with their numbers; they are bounded by `nearestRegion`. */
export function explainRefusal(path: string, refusal: EditRefusal): string {
  switch (refusal.kind) {
    case 'same':
      return `${path} was not changed: \`old\` and \`new\` are the same.`;
    case 'notFound':
      return notFound(path, refusal);
    case 'ambiguous':
      return `${path} was not changed: \`old\` matches ${refusal.count} times (${at(refusal)}). Add lines around it until it matches once, or use \`all\`.`;
    case 'overlapping':
      return `${path} was not changed: the ${refusal.count} matches of \`old\` overlap (${at(refusal)}), so it is not clear what to replace. Edit the places one by one with more lines around them.`;
    case 'tooMany':
      return `${path} was not changed: \`old\` matches ${refusal.count} times or more. Use a command in the shell for that.`;
  }
}

function notFound(path: string, { nearest }: Extract<EditRefusal, { kind: 'notFound' }>): string {
  const begin = `${path} was not changed: \`old\` is not in it.`;
  if (!nearest) return `${begin} Nothing like it is there; read the file again.`;
  const last = nearest.firstLine + nearest.lines.length - 1;
  const hint = nearest.onlyWhiteSpace ? ' (only white space differs)' : '';
  const lines = nearest.lines.map((line, i) => `${nearest.firstLine + i}\t${line}`);
  return [`${begin} The nearest lines as they are now, ${nearest.firstLine}-${last}${hint}:`, ...lines].join('\n');
}

function at({ count, lines }: { readonly count: number; readonly lines: readonly number[] }): string {
  const which = lines.length === 1 ? 'line' : 'lines';
  return `${which} ${lines.join(', ')}${count > lines.length ? ' and more' : ''}`;
}
