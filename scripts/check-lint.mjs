/**
 * Runs the typed lint rules of `eslint.config.js`. Rules that lost their types pass in silence, so each one must find a
 * planted mistake in the same run.
 */
import { relative } from 'node:path';
import { ESLint } from 'eslint';
import { fail, pass, root } from './tree.mjs';

/** One mistake for each rule, all in one text: a changed file costs a new program. */
const plants = {
  'no-floating-promises': 'export async function a(): Promise<void> {}\na();\n',
  'no-misused-promises': 'export function b(p: Promise<boolean>): number {\n  return p ? 1 : 2;\n}\n',
  'await-thenable': 'export async function c(n: number): Promise<void> {\n  await n;\n}\n',
  'switch-exhaustiveness-check':
    "export function d(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      return;\n  }\n}\n",
};

/** The planted text is read as if it stood in this file, which therefore must exist. */
const host = 'protocol/src/common/version.ts';

// With CI set the parser would keep one program for good and never read the planted text.
process.env.TSESTREE_SINGLE_RUN = 'false';

const eslint = new ESLint({ cwd: root });
const results = await eslint.lintFiles(['protocol', 'packages', 'test']);
const findings = [...results.flatMap(spoken), ...(await blind())];
if (findings.length > 0) fail('lint', findings);
pass('lint', `${results.length} files with types, ${Object.keys(plants).length} rules, each seen to bite`);

function spoken({ filePath, messages }) {
  return messages.map(({ line, ruleId, message }) => `${relative(root, filePath)}:${line}: ${message} (${ruleId})`);
}

async function blind() {
  const { rules } = await eslint.calculateConfigForFile(host);
  const unplanted = Object.keys(rules).filter((rule) => !(rule.replace(/^.*\//, '') in plants));
  const [result] = await eslint.lintText(Object.values(plants).join(''), { filePath: host });
  const seen = result?.messages.map(({ ruleId }) => ruleId?.replace(/^.*\//, '')) ?? [];
  const missed = Object.keys(plants).filter((rule) => !seen.includes(rule));
  return [
    ...unplanted.map((rule) => `rule ${rule} has no planted mistake`),
    ...missed.map((rule) => `rule ${rule} is blind`),
  ];
}
