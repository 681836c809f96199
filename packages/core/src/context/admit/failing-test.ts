/** Decides which lines of an output name a test that failed, with or without what a log or a task runner puts in front. */

/** One pattern a runner: what it prints for a test that failed (2026-11). */
const patterns: readonly RegExp[] = [
  /^\s*●\s+\S.*/u, // jest
  /^\s*[✕✗✘×✖]\s+\S.*/u, // jest, vitest, node:test, mocha's kin
  /^\s*(?:FAIL|FAILED|ERROR)\s+\S+.*/, // jest, vitest, go, pytest
  /^\s*--- FAIL: \S+/, // go
  /^\{.*"Action":\s*"fail".*"Test":/, // go test -json
  /^test \S.* \.\.\. FAILED/, // cargo
  /^---- \S.* stdout ----/, // cargo
  /^\s*not ok \d+\b.*/, // TAP
  /^\s*\(fail\)\s+\S.*/, // bun
  /^\s*rspec \S+:\d+/, // rspec
  /^\[ERROR\]\s+\S+.*:\d+/, // maven
  /^\s*Failed \S+ \[/, // dotnet
  /^\s*\d+\) \S.*/, // mocha, phpunit, playwright
  /^(?:FAIL|ERROR): \S+ \(/, // unittest
  /^\[ {2}FAILED {2}\] \S+/, // googletest
  /^\S.* > \S.* FAILED$/, // gradle
];

/** A job and a step of a CI, a time, the package and the task of a monorepo. */
const prefix =
  /^(?:[^\t]{1,80}\t[^\t]{1,80}\t)?\ufeff?(?:\[?\d{4}-\d\d-\d\dT[\d:.]+Z?\]?\s)?(?:@?[\w./-]{1,80}(?:[: ][\w:-]{1,40})?: )?/;

export function namesFailingTest(line: string): boolean {
  if (/\b0 (?:failed|failures)\b/.test(line)) return false;
  const behind = line.slice(prefix.exec(line)?.[0].length ?? 0);
  return patterns.some((pattern) => pattern.test(line) || (behind !== line && pattern.test(behind)));
}
