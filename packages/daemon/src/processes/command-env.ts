/**
 * Decides the environment of a command: the client's, with everything off that would wait for a person or paint for one.
 * Invariant: nothing of zerd and no provider key is in it, also when the caller forgot to take them out.
 */
import { isSecretName } from '../base/secret-names.ts';

/** Variables that would bring colours, boxes or a waiting window back, or lead a `cd` to another folder than it names. */
const dropped = new Set(['CDPATH', 'FORCE_COLOR', 'CLICOLOR_FORCE', 'LINES', 'SSH_ASKPASS', 'SUDO_ASKPASS']);

const quiet: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  SSH_ASKPASS_REQUIRE: 'never',
  EDITOR: 'false',
  VISUAL: 'false',
  // Takes the text as it stands: `rebase --continue` goes on, and a commit without a message still fails at once.
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
};

export function commandEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !isSecretName(name) && !dropped.has(name));
  return { ...Object.fromEntries(kept), ...quiet };
}
