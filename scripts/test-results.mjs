/**
 * Prints `N passed, N failed` from what jest wrote into a folder, a file for each run. A file of tests that could not run
 * counts as a failure, and so does a run that left nothing.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder] = process.argv;
/** The two runs of the whole suite; `some.json` stands alone. */
const whole = ['one-by-one.json', 'side-by-side.json'];
const left = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const due = left.includes('some.json') ? left : whole;
const missing = due.filter((name) => !left.includes(name));
for (const name of missing) console.error(`The tests did not run: there are no results of jest (${name}).`);

let [passed, failed] = [0, missing.length];
for (const name of left) {
  const results = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  passed += results.numPassedTests;
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
}
console.log(`${passed} passed, ${failed} failed`);
