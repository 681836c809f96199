/**
 * What an edit or a new file would change, as lines to read in place of its JSON. Pure. Invariant: everything that the
 * question holds is in them, with what would hide it escaped; what is not understood is shown as it came.
 */
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';

/** `asks`: the words that the daemon asks with, 'edit {"path":…}'. Undefined: no change that can be read. */
export function askedChange(tool: string, asks: string): readonly Line[] | undefined {
  const given = asks.startsWith(`${tool} {`) ? parsed(asks.slice(tool.length + 1)) : undefined;
  if (given === undefined) return undefined;
  const { path, old, new: next, content, ...rest } = given;
  const isEdit = tool === 'edit' && typeof old === 'string' && typeof next === 'string' && content === undefined;
  const isWrite = tool === 'write' && typeof content === 'string' && old === undefined && next === undefined;
  if (typeof path !== 'string' || !(isEdit || isWrite)) return undefined;
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  return [
    [span(sanitiseLine(`${path}${more}`), theme.strong)],
    ...(isEdit ? marked('-', old, theme.removed) : []),
    ...marked('+', isEdit ? next : String(content), theme.added),
    ...(isEdit ? lastBreak(old, next) : []),
  ];
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    // It is shown as it came.
    return undefined;
  }
}

/** The one part of a change that lines do not show. */
function lastBreak(old: string, next: string): readonly Line[] {
  const [was, is] = [old.endsWith('\n'), next.endsWith('\n')];
  return was === is
    ? []
    : [[span(is ? '(and a line break behind it)' : '(without the line break behind it)', theme.dim)]];
}

function marked(mark: string, text: string, style: Line[number]['style']): readonly Line[] {
  if (text === '') return [];
  return sanitise(text.replace(/\n$/, ''))
    .split('\n')
    .map((line) => [span(`${mark} ${line.replaceAll('\t', '    ')}`, style)]);
}
