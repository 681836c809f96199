/**
 * `zerd search`: searches the files of the repository as ripgrep does, through the index of its daemon. The exit status
 * is ripgrep's: 0 something matched, 1 nothing did, 2 it could not be searched or not all of it.
 */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { safeJson, sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { given } from '../given.ts';
import { coloursOutput } from '../terminal.ts';

export const searchCommand = defineCommand({
  name: 'search',
  usage: 'search <pattern> [path]',
  says: 'Searches the files of this repository, as ripgrep does, through an index',
  positionals: {
    pattern: { type: 'string', demandOption: true, describe: 'A regular expression' },
    path: { type: 'string', describe: 'A folder or file of the repository', defaultDescription: 'all of it' },
  },
  options: [
    'ignore-case',
    'smart-case',
    'word-regexp',
    'fixed-strings',
    'glob',
    'type',
    'context',
    'multiline',
    'count',
    'json',
  ],
  examples: [
    ['zerd search -i todo', 'In any case'],
    ['zerd search -F "a.b(" packages', 'Plain text, in one folder'],
    ['zerd search -w -t ts -C 2 fold', 'Whole words in TypeScript files, with two lines around'],
  ],
  epilogue: 'Exit status: 0 matches, 1 none, 2 an error, or not everything could be searched.',
  failedStatus: 2,
  complaint: ({ context }) =>
    context === undefined || (Number.isInteger(context) && context <= 1_000)
      ? undefined
      : '--context takes a whole number up to 1000.',
  async perform(args, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      const found = await client.request(
        'search/query',
        given({
          pattern: args.pattern,
          path: args.path,
          glob: args.glob,
          type: args.type,
          literal: args['fixed-strings'],
          ignoreCase: args['ignore-case'],
          smartCase: args['smart-case'],
          wholeWord: args['word-regexp'],
          multiline: args.multiline,
          context: args.context,
        }) as { pattern: string },
      );
      if (args.json === true) terminal.out(`${safeJson(found)}\n`);
      else if (args.count === true) terminal.out(`${totals(found)}\n`);
      else terminal.out(hitLines(found.hits, coloursOutput(terminal)));
      if (args.json !== true) terminal.err(notes(found));
      return found.incomplete !== undefined ? 2 : found.totalMatches > 0 ? 0 : 1;
    } finally {
      client.close();
    }
  },
});

type Found = ResultOf<'search/query'>;

/** As ripgrep prints to a pipe: `path:line:text`, context with `-`, groups parted by `--`. */
export function hitLines(hits: Found['hits'], colour: boolean): string {
  const withContext = hits.some(({ column }) => column === undefined);
  let before: Found['hits'][number] | undefined;
  let out = '';
  for (const hit of hits) {
    const apart = before !== undefined && (hit.path !== before.path || hit.line > before.line + 1);
    if (withContext && apart) out += '--\n';
    const mark = hit.column === undefined ? '-' : ':';
    const path = sanitiseLine(hit.path);
    const text = `${hit.cutBefore ? '[...] ' : ''}${sanitise(hit.text)}${hit.cutAfter ? ' [...]' : ''}`;
    out += colour
      ? `\x1b[35m${path}\x1b[0m${mark}\x1b[32m${hit.line}\x1b[0m${mark}${text}\n`
      : `${path}${mark}${hit.line}${mark}${text}\n`;
    before = hit;
  }
  return out;
}

function totals({ totalMatches, totalFiles }: Found): string {
  return `${totalMatches} ${totalMatches === 1 ? 'match' : 'matches'} in ${totalFiles} ${totalFiles === 1 ? 'file' : 'files'}`;
}

function notes(found: Found): string {
  const shown = found.hits.filter(({ column }) => column !== undefined).length;
  const cut = shown < found.totalMatches && shown > 0 ? [`${shown} shown of ${totals(found)}; narrow the search`] : [];
  const aside =
    found.totalMatches === 0 && found.partial === true
      ? ['No matches. Hidden and ignored files were not searched; a path can name one.']
      : [];
  const partly = found.incomplete === undefined ? [] : [`Not all of it was searched: ${found.incomplete}`];
  return [...cut, ...aside, ...partly].map((line) => `zerd: ${sanitiseLine(line)}\n`).join('');
}
