/**
 * Decides which lines of a command's output report an error or a failure. Wrong calls cost a few bytes, no more: such
 * lines only stay in place where the middle of an output is left out.
 */

const trouble =
  /(?:^|[^\w./-])(?:errors?|fail(?:ed|ures?|s|ing)?|fatal|panic(?:ked)?|exception|traceback|abort(?:ed|ing)?|segmentation fault|core dumped|not ok|undefined reference|unresolved|unhandled|\u2717|\u2718|\u2716|\u2715)(?![\w/-]|\.\w)|\b[A-Z]\w*(?:Error|Exception)\b|^E {3}|^\s*not ok\b/i;

const denied =
  /\b(?:0|no|without)\s+(?:\w+\s+)?(?:errors?|fail\w*|exceptions?)\b|\b(?:errors?|fail\w*|exceptions?)\s*[:=]\s*0\b/i;

/** A test that passed may be named after an error. */
const passed = /\(pass\)|[\u2713\u2714\u221a]|^\s*ok\b|\bPASS(?:ED)?\b|\.\.\. ok$/;

export function reportsTrouble(text: string): boolean {
  const line = text.slice(0, 1_000);
  return trouble.test(line) && !denied.test(line) && !passed.test(line);
}
