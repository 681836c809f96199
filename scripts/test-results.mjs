/** Prints `N passed, N failed` from the JSON that jest wrote. A file of tests that could not run counts as a failure. */
import { existsSync, readFileSync } from 'node:fs';

const [, , file] = process.argv;
if (!existsSync(file)) {
  console.error('The tests did not run: there are no results of jest.');
  console.log('0 passed, 1 failed');
} else {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
  console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
}
