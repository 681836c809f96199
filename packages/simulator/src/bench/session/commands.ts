/**
 * Plays recorded commands: each becomes a small script outside of sight that prints, on its n-th run, as many bytes as the
 * n-th recorded run did, and ends as it did. Runs of one command differ in a few lines; equal results are equal.
 */
import { makeLine, randomOf } from './made-text.ts';
import type { RecordedCall } from './recorded.ts';

export interface CommandBook {
  /** The command that plays this call. Calls of one `key` are runs of one command. */
  play(key: string, argument: string, call: RecordedCall): string;
  /** What must be in the tree so that the commands work. */
  files(): ReadonlyMap<string, string>;
}

const folder = '.recorded';

/** A single argument of a program may have 128 KiB. */
const longestArgument = 100_000;

export function createCommandBook(): CommandBook {
  const files = new Map<string, string>();
  const known = new Map<string, { readonly name: string; readonly lineBytes: number; runs: number }>();
  return {
    play(key, argument, call) {
      const { resultBytes, resultLines } = call;
      const lineBytes = Math.max(8, Math.round(resultBytes / Math.max(1, resultLines)));
      const command = known.get(key) ?? { name: `c${known.size + 1}`, lineBytes, runs: 0 };
      known.set(key, command);
      files.set(`${folder}/${command.name}`, script(command.name));
      files.set(`${folder}/${command.name}.${command.runs}.out`, output(command, call));
      files.set(`${folder}/${command.name}.${command.runs}.status`, call.isError ? '1' : '0');
      command.runs += 1;
      return `sh ${folder}/${command.name} ${quoted(argument)}`;
    },
    files: () => files,
  };
}

function script(name: string): string {
  const file = `${folder}/${name}`;
  return [
    `run=$(cat ${file}.runs 2>/dev/null || echo 0)`,
    `echo $((run + 1)) >${file}.runs`,
    `cat ${file}.$run.out`,
    `exit $(cat ${file}.$run.status)`,
    '',
  ].join('\n');
}

function output(command: { readonly name: string; readonly lineBytes: number }, call: RecordedCall): string {
  let text = '';
  let left = call.resultBytes;
  for (let i = 0; left > 0; i++) {
    const random = randomOf(`${command.name} ${i}`);
    const size = Math.max(1, Math.round(command.lineBytes * (0.5 + random())));
    const seed = random() < 0.1 ? `${command.name}-${call.resultHash}` : command.name;
    const isLast = size + 1 >= left;
    text += makeLine(isLast ? left : size, seed, i) + (isLast ? '' : '\n');
    left -= isLast ? left : size + 1;
  }
  return text;
}

function quoted(argument: string): string {
  const line = argument.replaceAll('\0', '').slice(0, longestArgument);
  return `'${line.replaceAll("'", `'"'"'`)}'`;
}
