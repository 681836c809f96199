/**
 * core and the contract are pure because their compiler settings know neither Node nor the browser. This asserts that
 * the settings stay so, and that the compiler really refuses what they forbid.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, pass, root } from './tree.mjs';

const pure = ['protocol/src/common', 'packages/core'];
const forbidden = ['fetch', 'process', 'Buffer', 'setTimeout', 'TextEncoder', 'window', 'console', 'performance'];

const base = settingsOf('tsconfig.base.json');
const findings = [...pure.flatMap(loosened), ...accepted()];
if (findings.length > 0) fail('purity', findings);
pass('purity', `${pure.join(' and ')} know no types of a platform; the compiler refuses ${forbidden.length} names`);

function settingsOf(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).compilerOptions ?? {};
}

function loosened(folder) {
  const settings = { ...base, ...settingsOf(`${folder}/tsconfig.json`) };
  const libs = settings.lib.filter((lib) => !/^es/i.test(lib));
  return [
    ...(settings.types?.length === 0 ? [] : [`${folder}/tsconfig.json: "types" must be []`]),
    ...(libs.length === 0 ? [] : [`${folder}/tsconfig.json: "lib" must hold the language only, not ${libs}`]),
    ...(settings.strict && settings.noUncheckedIndexedAccess && settings.exactOptionalPropertyTypes
      ? []
      : [`${folder}/tsconfig.json: strictness was lowered`]),
  ];
}

/** The names that the compiler lets through under the pure settings. */
function accepted() {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-purity-'));
  try {
    const lines = [
      ...forbidden.map((name) => `${name};`),
      "import 'node:fs';",
      "import type { Stats } from 'node:fs';",
    ];
    writeFileSync(join(folder, 'impure.ts'), `${lines.join('\n')}\nexport type X = Stats;\n`);
    const compilerOptions = { ...base, composite: false, noEmit: true, types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['impure.ts'] }));
    const { stdout } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/@typescript/native/bin/tsc'), '-p', folder],
      {
        encoding: 'utf8',
      },
    );
    const refused = new Set([...stdout.matchAll(/impure\.ts[(:](\d+)/g)].map(([, line]) => Number(line)));
    return lines.filter((_, index) => !refused.has(index + 1)).map((line) => `the compiler accepts in core: ${line}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
