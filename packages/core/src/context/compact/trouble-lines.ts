/**
 * Decides which lines of a command's output are facts of a failure: names of failing tests, and places in files. Noise
 * (progress, frames inside of runtimes and of dependencies) is none.
 */
import { namesFailingTest } from '../admit/failing-test.ts';
import { reportsTrouble } from '../admit/trouble.ts';

/** `a.ts:10`, `a.ts:10:5`, `a.ts(10,5)`, `File "a.py", line 10`. */
const place = /(?:^|[\s"'`([<>=,])((?:[A-Za-z]:)?[\w@./\\+~-]*[\w@+~-]\.[A-Za-z]\w{0,9}):(\d+)(?::\d+)?(?![\w.])/;
const placeInBrackets = /([\w@./\\+~-]+\.[A-Za-z]\w{0,9})\((\d+),\d+\)/;
const placeInWords = /\bFile "([^"]+)", line (\d+)|\b(\S+\.\w+) on line (\d+)/;

/** Frames that say nothing of the work at hand. */
const foreign =
  /node_modules\/|node:internal|\(node:|\/site-packages\/|\/dist-packages\/|<anonymous>|\/rustc\/|\/usr\/lib\//;
/** An address looks like a place in a file. */
const address = /\b(?:https?|wss?):\/\/|\blocalhost:\d/;

/** `file:line`; undefined: the line names no place. */
export function placeIn(line: string): string | undefined {
  const text = line.slice(0, 1_000);
  if (foreign.test(text) || address.test(text)) return undefined;
  const [, path, at] = place.exec(text) ?? placeInBrackets.exec(text) ?? [];
  if (path !== undefined) return `${path}:${at}`;
  const words = placeInWords.exec(text);
  const [, quoted, line1, bare, line2] = words ?? [];
  return words === null ? undefined : `${quoted ?? bare}:${line1 ?? line2}`;
}

/** The lines worth keeping of an output; of a command that succeeded those alone that surely speak of a failure. */
export function troubleLines(output: string, failed: boolean): readonly string[] {
  const lines = output.split(/\r?\n/).map((line) => line.trimEnd());
  const kept = lines.filter((line) => {
    if (line.trim() === '' || foreign.test(line)) return false;
    const [test, trouble] = [namesFailingTest(line), reportsTrouble(line)];
    return failed ? test || trouble || placeIn(line) !== undefined : trouble && (test || placeIn(line) !== undefined);
  });
  return [...new Set(kept)];
}
