import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { admit } from '@zerd/core/context/admit/admit';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import { utf8Length } from '@zerd/core/text/utf8';

function shownOf(text: string) {
  const body = { kind: 'text', text } as const;
  return admit({ tool: 'shell', failed: true, body, archiveId: '0123456789ab', caps: defaultCaps }).shown;
}

/** What is missing of `survivors`, and whether the whole fits. */
function check(name: string, text: string, survivors: readonly string[]) {
  const shown = shownOf(text);
  const lost = survivors.filter((line) => !shown.includes(line));
  expect({ name, lost, fits: utf8Length(shown) <= defaultCaps.failingShell }).toEqual({ name, lost: [], fits: true });
}

const letters = (n: number) =>
  [n, n / 26, n / 676].map((x) => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(x) % 26]).join('');
/** Lines that say nothing, no two alike. */
const chatter = (lines: number, of: (name: string) => string) =>
  Array.from({ length: lines }, (_, i) => of(`${letters(i)}_${letters(i * 7 + 3)}`));
/** Trouble in the middle of an output that is far too long, and nothing of it at the end. */
const within = (of: (name: string) => string, trouble: readonly string[]) =>
  [...chatter(900, of), ...trouble, ...chatter(900, (name) => of(`z${name}`)), 'Done.'].join('\n');

test.each<
  [runner: string, chatter: (name: string) => string, trouble: readonly string[], survivors: readonly string[]]
>([
  [
    'jest',
    (name) => `    ✓ ${name} (3 ms)`,
    ['FAIL src/cart.test.ts', '  ● cart › adds a line', '    TypeError: x is not a function'],
    ['FAIL src/cart.test.ts', '● cart › adds a line', 'TypeError: x is not a function'],
  ],
  [
    'vitest',
    (name) => ` ✓ src/${name}.test.ts (3)`,
    [' × cart > adds a line 4ms', '   → expected 3 to be 4', 'AssertionError: expected 3 to be 4'],
    ['× cart > adds a line', 'AssertionError: expected 3 to be 4'],
  ],
  [
    'mocha',
    (name) => `      ✔ ${name}`,
    ['  1) cart', '       adds a line:', '     Error: nope'],
    ['1) cart', 'Error: nope'],
  ],
  [
    'playwright in a log of a CI',
    (name) => `e2e\tRun tests\t2026-02-21T21:32:55.5073905Z [WebServer] ${name}`,
    ['e2e\tRun tests\t2026-02-21T21:32:56.5073905Z   1) [chromium] › a.spec.ts:9:3 › shares a file'],
    ['1) [chromium] › a.spec.ts:9:3 › shares a file'],
  ],
  [
    'bun behind a task runner',
    (name) => `@acme/core test: (pass) ${name} > handles an error [1.00ms]`,
    ['@acme/core test: (fail) cart > adds a line [2.00ms]'],
    ['(fail) cart > adds a line'],
  ],
  [
    'cargo test',
    (name) => `test ${name}::fails_with_error ... ok`,
    ['test cart::adds ... FAILED', "thread 'cart::adds' panicked at src/cart.rs:12:9:"],
    ['test cart::adds ... FAILED', 'panicked at src/cart.rs:12:9'],
  ],
  [
    'rustc',
    (name) => `   Compiling ${name} v1.0.0`,
    ['error[E0308]: mismatched types', '  --> src/main.rs:4:9'],
    ['error[E0308]: mismatched types'],
  ],
  [
    'go test',
    (name) => `=== RUN   Test_${name}`,
    ['--- FAIL: TestCart (0.00s)', 'panic: runtime error: index out of range [3]'],
    ['--- FAIL: TestCart', 'panic: runtime error: index out of range [3]'],
  ],
  [
    'go test -json',
    (name) => `{"Action":"pass","Package":"acme/cart","Test":"Test_${name}","Elapsed":0}`,
    ['{"Action":"fail","Package":"acme/cart","Test":"TestAdds","Elapsed":0.01}'],
    ['"Test":"TestAdds"'],
  ],
  [
    'pytest',
    (name) => `tests/test_${name}.py::test_error_path PASSED`,
    ['tests/test_cart.py::test_adds FAILED', 'E       assert 3 == 4', 'tests/test_cart.py:9: AssertionError'],
    ['tests/test_cart.py::test_adds FAILED', 'E       assert 3 == 4', 'tests/test_cart.py:9: AssertionError'],
  ],
  [
    'unittest',
    (name) => `test_${name} (tests.Cart) ... ok`,
    ['FAIL: test_adds (tests.Cart)', 'Traceback (most recent call last):', 'AssertionError: 3 != 4'],
    ['FAIL: test_adds (tests.Cart)', 'AssertionError: 3 != 4'],
  ],
  [
    'rspec',
    (name) => `  ${name} is expected to be true`,
    ['rspec ./spec/cart_spec.rb:12 # Cart adds a line'],
    ['rspec ./spec/cart_spec.rb:12 # Cart adds a line'],
  ],
  [
    'googletest',
    (name) => `[       OK ] Cart.${name} (0 ms)`,
    ['[  FAILED  ] Cart.Adds (0 ms)', 'cart_test.cc:12: Failure'],
    ['[  FAILED  ] Cart.Adds', 'cart_test.cc:12: Failure'],
  ],
  [
    'tsc',
    (name) => `TSFILE: dist/${name}.js`,
    ["src/a.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'."],
    ["src/a.ts(4,7): error TS2322: Type 'string'"],
  ],
  [
    'eslint',
    (name) => `  12:3  warning  '${name}' is defined but never used  no-unused-vars`,
    ["  14:9  error    'y' is not defined  no-undef"],
    ["14:9  error    'y' is not defined"],
  ],
  [
    'maven',
    (name) => `[INFO] Building ${name}`,
    ['[ERROR] /src/Cart.java:[12,3] cannot find symbol', 'Caused by: java.lang.NullPointerException: cart'],
    ['[ERROR] /src/Cart.java:[12,3] cannot find symbol', 'Caused by: java.lang.NullPointerException: cart'],
  ],
  ['gradle', (name) => `> Task :${name}:compileJava`, ['CartTest > adds() FAILED'], ['CartTest > adds() FAILED']],
  [
    'dotnet',
    (name) => `  Passed Cart.${name} [1 ms]`,
    ['  Failed Cart.Adds [12 ms]', 'Cart.cs(4,7): error CS1002: ; expected'],
    ['Failed Cart.Adds [12 ms]', 'Cart.cs(4,7): error CS1002: ; expected'],
  ],
  [
    'make and ld',
    (name) => `gcc -c ${name}.c`,
    ['cart.c:(.text+0x5): undefined reference to `add_line`', 'make[1]: *** [Makefile:9: cart] Error 1'],
    ['undefined reference to `add_line`', 'make[1]: *** [Makefile:9: cart] Error 1'],
  ],
  [
    'a shell script',
    (name) => `+ cp ${name} out/`,
    ['./build.sh: line 9: protoc: command not found', 'cp: cannot stat x: No such file or directory'],
    ['line 9: protoc: command not found', 'cp: cannot stat x: No such file or directory'],
  ],
  [
    'node',
    (name) => `[app] GET /${name} 200`,
    ["Error: Cannot find module './cart'", 'npm ERR! code ELIFECYCLE'],
    ["Error: Cannot find module './cart'", 'npm ERR! code ELIFECYCLE'],
  ],
  [
    'a log of JSON lines',
    (name) => `{"level":"info","msg":"${name}"}`,
    ['{"level":"error","msg":"the pool is closed"}'],
    ['the pool is closed'],
  ],
])('what failed survives in the output of %s', (runner, of, trouble, survivors) => {
  check(runner, within(of, trouble), survivors);
});

test('what names a failing test or an error comes before lines that merely speak of one', () => {
  const talk = chatter(600, (name) => `the ${name} handler treats an error and an exception of its kind`);
  const text = [
    ...chatter(600, (name) => `ok ${name}`),
    ...talk,
    'a.c:9: error: no',
    'FAIL b.test.ts',
    ...chatter(600, (n) => n),
  ];
  check('talk', text.join('\n'), ['a.c:9: error: no', 'FAIL b.test.ts']);
});

test('many failing tests leave room for their reasons', () => {
  const named = chatter(300, (name) => `FAILED tests/test_${name}.py::test_it`);
  const reasons = chatter(300, (name) => `E       AssertionError: ${name}`);
  const shown = shownOf([...chatter(900, (n) => n), ...named, ...reasons, ...chatter(900, (n) => n)].join('\n')).split(
    '\n',
  );
  const [names, whys] = [/^\d+: FAILED/, /^\d+: E {7}Assert/].map(
    (kind) => shown.filter((line) => kind.test(line)).length,
  );
  expect(names).toBeGreaterThan(20);
  expect(whys).toBeGreaterThan(20);
});

const noise = process.env.ZERD_DATA === undefined ? undefined : join(process.env.ZERD_DATA, 'noise');

(noise === undefined || !existsSync(noise) ? test.skip : test).each<[file: string, survivors: readonly string[]]>([
  ['01-npm-install-verbose.raw', ['npm verb addNameVersion registry:https']],
  ['03-buildah-build.raw', ['Error: creating build container', 'Error: The command exited with status 1']],
  ['05-pwsh.raw', ['Running global post-command hook']],
  [
    '08-go-test-json.out',
    [
      '"Test":"TestFailed","Elapsed"',
      '"Test":"TestFailedWithStderr","Elapsed"',
      '"Test":"TestNestedWithFailure/c","Elapsed"',
      '"Test":"TestNestedParallelFailures/a","Elapsed"',
      '"Test":"TestParallelTheFirst","Elapsed"',
    ],
  ],
  ['09-cargo-test-pass.txt', ['test result: ok.']],
  [
    '19-maven-build.txt',
    [
      'foo.cc:4:39: error: foo.h: No such file or directory',
      'scangen.adb:23:35: error: binary operator expected',
      'LINK : fatal error LNK1181',
      'undefined reference to `MyI',
      'error LNK2001: unresolved',
      'line 11: error: expected a ";"',
      'line 3: fatal error: could not open source file',
      'PHP Fatal error:  Undefined class constant',
    ],
  ],
  ['22-ninja-gcc.log', ['[526/891] Building CXX object']],
  [
    '25-pytest-failures.rst',
    [
      'FAILED failure_demo.py::test_generative[3-6]',
      'FAILED failure_demo.py::TestFailing::test_not',
      'FAILED failure_demo.py::TestSpecialisedExplanations::test_eq_text',
      'FAILED failure_demo.py::TestSpecialisedExplanations::test_in_list',
      'FAILED failure_demo.py::TestRaises::test_tupleerror',
      'FAILED failure_demo.py::TestCustomAssertMsg::test_custom_repr',
      'E       assert not 42',
      "E       AssertionError: assert 'spam' == 'eggs'",
      '44 failed in 0.12s',
    ],
  ],
  ['26-pip-spinner.txt', ['Successfully installed marshmallow-3.13.0']],
  [
    '32-go-test-cr-ansi.txt',
    ['--- FAIL: TestResume_LocalLogNewerTimestamp_UserConfirmsOverwrite', 'resume with user confirmation failed'],
  ],
  ['33-progress-652-frames.txt', ['<status>failed</status>']],
  [
    '35-ci-failed-log.txt',
    [
      '3.1 Alice shares a file with Bob',
      'Error: locator.waitFor: Target page, context or browser has been closed',
      '1 failed',
      'ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL',
      '##[error]Process completed with exit code 1.',
    ],
  ],
  ['39-mono-test-run.txt', ['fast-forwards remote updates even when unrelated local files are dirty']],
  ['42-jest-coverage.txt', ['Ran all test suites.']],
])('what failed survives of the real output %s', (file, survivors) => {
  check(file, readFileSync(join(noise ?? '', file), 'utf8'), survivors);
});
