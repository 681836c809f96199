/**
 * Lets the user change a text in their own editor ($VISUAL, $EDITOR, else vi), in a private temporary file. Invariant:
 * what they wrote is lost only once it is taken over.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Terminal } from '../terminal.ts';

export interface EditedText {
  readonly text: string;
  /** Where it lies until `discard`. */
  readonly file: string;
  discard(): Promise<void>;
}

/** `name`: the file's, by whose ending the editor knows what it is. */
export async function editText(terminal: Terminal, name: string, text: string): Promise<EditedText> {
  const folder = await mkdtemp(join(tmpdir(), 'zerd-'));
  const file = join(folder, name);
  const discard = () => rm(folder, { recursive: true, force: true });
  await writeFile(file, text, { mode: 0o600 });
  const editor = terminal.env.VISUAL || terminal.env.EDITOR || 'vi';
  // Ctrl-C is the editor's.
  const ignoring = terminal.onInterrupt(() => {});
  const status = await runEditor(editor, file, terminal.env).finally(() => ignoring[Symbol.dispose]());
  if (status === 0) return { text: await readFile(file, 'utf8'), file, discard };
  const unchanged = (await readFile(file, 'utf8').catch(() => text)) === text;
  if (unchanged) await discard();
  const kept = unchanged ? '' : ` Your text is in ${file}.`;
  throw new ZerdError(
    'invalid_params',
    `The editor ${JSON.stringify(editor)} ended with ${status}; nothing was taken over.${kept} VISUAL and EDITOR say which one is used.`,
  );
}

/** As git does it: the variable may hold arguments. Gives the exit status or the name of the signal. */
function runEditor(editor: string, file: string, env: Terminal['env']): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, 'sh', file], { stdio: 'inherit', env });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
}
