/** No file grows unseen: 400 lines at most without a stated reason, and lower ceilings for the files that rot first. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fail, pass, root, sourceFiles } from './tree.mjs';

const ceiling = 400;

/** The files that grow to thousands of lines in every agent: session loop, dispatch, screen. */
const ceilings = { 'run-turn.ts': 200, 'dispatch.ts': 150 };

/** Longer on purpose: path and reason. */
const reasons = { 'protocol/schema/types.d.ts': 'generated' };

const sizes = sourceFiles(['protocol', 'packages', 'test', 'scripts'], ['.ts', '.mjs', '.js']).map((file) => ({
  file,
  lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1,
}));
const findings = [
  ...sizes
    .filter(tooLong)
    .map(({ file, lines }) => `${file}: ${lines} lines, at most ${limitOf(file)}; split it or state a reason`),
  ...Object.keys(reasons)
    .filter((file) => !sizes.some((size) => size.file === file && size.lines > ceiling))
    .map((file) => `${file}: has a reason to be long but is not; drop the reason`),
  ...Object.keys(ceilings)
    .filter((name) => !sizes.some(({ file }) => isProduct(file) && basename(file) === name))
    .map((name) => `${name}: not found; its ceiling guards nothing`),
];
if (findings.length > 0) fail('sizes', findings);
const product = sizes
  .filter(({ file }) => isProduct(file))
  .map(({ lines }) => lines)
  .sort((a, b) => a - b);
pass(
  'sizes',
  `${product.length} product files, median ${quantile(0.5)} lines, p95 ${quantile(0.95)}, longest ${product.at(-1)}`,
);

function tooLong({ file, lines }) {
  return lines > limitOf(file) && !(file in reasons);
}

function limitOf(file) {
  return (isProduct(file) && ceilings[basename(file)]) || ceiling;
}

function isProduct(file) {
  return /\/src\/.*\.ts$/.test(file);
}

function quantile(share) {
  return product[Math.min(product.length - 1, Math.floor(product.length * share))];
}
