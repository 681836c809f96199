/**
 * Decides which lines of a command's output report an error or a failure, and how surely. Wrong calls cost a few bytes,
 * no more: such lines only stay in place where the middle of an output is left out.
 */
import { namesFailingTest } from './failing-test.ts';

/** `test`: names a test that failed. `error`: reports what went wrong. `mention`: speaks of something of the kind. */
export type Trouble = 'test' | 'error' | 'mention';

const error = new RegExp(
  [
    String.raw`(?:^|[\s\])>:"'|])(?:fatal )?error(?:\[\w+\])?(?: [A-Z]*\d+)?:`, // compilers: file:1:2: error: ...
    String.raw`^\s*(?:error|fatal|panic|err!)\b`,
    String.raw`^\s*\d+:\d+\s+error\b`, // eslint
    String.raw`\[(?:error|fatal)\]|##\[error\]|\bERR!|\bERRO?\b\[|\blevel=(?:error|fatal)\b|"level":\s*"(?:error|fatal)"`,
    String.raw`^\s*E {3}(?: {4})?[^\s+?-]`, // pytest: what was asserted, not its details
    String.raw`(?:^|[\s:>])(?:[\w$]+[.:]+)*[A-Z]\w*(?:Error|Exception)(?::\s|$)`, // TypeError: ..., a.py:1: ValueError
    String.raw`\bpanicked at\b|^Caused by:|^Traceback \(most|\bundefined reference\b|\bUnhandled(?:PromiseRejection)?\b`,
    String.raw`\bsegmentation fault\b|\bcore dumped\b|\bout of memory\b|\bmake(?:\[\d+\])?: \*\*\*`,
    String.raw`\bexit(?:ed)?(?: with)?(?: code| status):? [1-9]\d*\b`,
    String.raw`\bcommand not found\b|\bcannot find (?:module|package|symbol)\b|\bno such file or directory\b|\bpermission denied\b`,
    String.raw`\bBUILD FAILED\b|\bFAILED$`,
  ].join('|'),
  'i',
);

const mention =
  /(?:^|[^\w./-])(?:errors?|fail(?:ed|ures?|s|ing)?|fatal|panic(?:ked)?|exception|traceback|abort(?:ed|ing)?|not ok|unresolved|unhandled|timed out|connection refused|killed|\u2717|\u2718|\u2716|\u2715)(?![\w/-]|\.\w)|\b[A-Z]\w*(?:Error|Exception)\b/i;

const denied =
  /\b(?:0|no|without)\s+(?:\w+\s+)?(?:errors?|fail\w*|exceptions?)\b|\b(?:errors?|fail\w*|exceptions?)\s*[:=]\s*0\b/i;

/** A test that passed may be named after an error. */
const passed = /\(pass\)|[\u2713\u2714\u221a]|^\s*ok\b|\bPASS(?:ED)?\b|\.\.\. ok$/;

export function saysPassed(line: string): boolean {
  return passed.test(line.slice(0, 1_000));
}

/** undefined: it reports none. */
export function troubleIn(text: string): Trouble | undefined {
  const line = text.slice(0, 1_000);
  if (denied.test(line) || passed.test(line)) return undefined;
  if (namesFailingTest(line)) return 'test';
  return error.test(line) ? 'error' : mention.test(line) ? 'mention' : undefined;
}

export function reportsTrouble(text: string): boolean {
  return troubleIn(text) !== undefined;
}
