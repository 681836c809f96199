/** S-45: what is read as a command is, word for word, what bash makes of it. `ZERD_CASES` for a longer run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseCommand, type SimpleCommand } from '@zerd/core/permissions/commands/parse-command';
import fc from 'fast-check';

const bash = process.env.BASH ?? '/bin/bash';
const cases = Number(process.env.ZERD_CASES ?? 2_000);
const seed = Number(process.env.ZERD_SEED ?? 45);

/** Every program is unknown, and what would have run is written to descriptor 9. No word becomes names of files. */
const script = String.raw`
set -f
command_not_found_handle() { { printf '%s\0' "$#" "$@"; } >&9; }
while IFS= read -r -d '' text; do
  printf 'case\0' >&9
  ( eval "$text" ) </dev/null >/dev/null 2>&1
done 9>&1
`;

const pieces = [
  ...'abxyz019._/:=@%+,^~#-!*?[]{}()<>$&;|\\\'"`',
  ...[' ', ' ', ' ', '  ', '\t', '\n', '\r', '\u00a0', '\u3000', '\\\n', 'é', '\u007f', '\u0001', '\v', '\f'],
  ...[' && ', ' || ', ' | ', '; ', ' 2>&1', ' >/dev/null', ' &>/dev/null', ' 2>/dev/null ', ' </dev/null', ' >&2'],
  ...["'a b'", '"a b"', '"a\\"b"', "'a;b'", '"$x"', '"a\\x"', 'HEAD~1', '--x=1', '$(', '${', '<<<', '>>', '|&', ';;'],
  ...[
    'if',
    'then',
    'fi',
    'for',
    'do',
    'in',
    'case',
    'esac',
    'time',
    'function',
    'coproc',
    '[[',
    'x=1',
    'a[0]=1',
    ' a ',
    ' a',
  ],
];
const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }).map((parts) => `a${parts.join('')}`);

test('bash runs exactly the commands that were read', () => {
  const read = fc
    .sample(text, { numRuns: cases * 6, seed })
    .flatMap((one) => {
      const commands = parseCommand(one);
      return commands === undefined || !commands.every(isNoBuiltin) ? [] : [{ text: one, ran: ranOf(commands) }];
    })
    .slice(0, cases);
  const ran = runInBash(read.map((one) => one.text));
  expect(read.length).toBeGreaterThan(cases / 3);
  expect(
    read.map((one, n) => ({ text: one.text, ran: ran[n] })).filter((one, n) => differs(one.ran, read[n]?.ran)),
  ).toEqual([]);
});

test('what bash is asked is seen: a command read wrongly is found', () => {
  expect(runInBash(["a 'b c' d", 'a b && x "y"', 'a (b)'])).toEqual([['a|b c|d'], ['a|b', 'x|y'], []]);
});

/** Those that bash has itself are not seen. */
function isNoBuiltin({ words: [name = ''] }: SimpleCommand): boolean {
  return !/^[.:[\]?*]+$/.test(name) && !name.includes('/') && !['fi', 'do', 'then', 'esac'].includes(name);
}

/** In any order: the parts of a pipe run at the same time. Every one of them succeeds. */
function ranOf(commands: readonly SimpleCommand[]): readonly string[] {
  let isSkipped = false;
  const ran: string[] = [];
  for (const { words, joinedBy } of commands) {
    if (joinedBy !== '|') isSkipped = joinedBy === '||';
    if (!isSkipped) ran.push(words.join('|'));
  }
  return ran.sort();
}

function differs(ran: readonly string[] | undefined, expected: readonly string[] | undefined): boolean {
  return JSON.stringify(ran) !== JSON.stringify(expected);
}

function runInBash(texts: readonly string[]): readonly (readonly string[])[] {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-bash-'));
  try {
    const env = { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' };
    const input = texts.map((one) => `${one}\0`).join('');
    const { stdout } = spawnSync(bash, ['--norc', '-c', script], { cwd: folder, env, input, maxBuffer: 1e9 });
    return readRecords(stdout.toString('utf8').split('\0').slice(0, -1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `case`, then for each command the number of its words and these. */
function readRecords(fields: readonly string[]): readonly (readonly string[])[] {
  const records: string[][] = [];
  for (let at = 0; at < fields.length; at += 1) {
    if (fields[at] === 'case') {
      records.push([]);
      continue;
    }
    const count = Number(fields[at]);
    records.at(-1)?.push(fields.slice(at + 1, at + 1 + count).join('|'));
    at += count;
  }
  return records.map((record) => record.sort());
}
