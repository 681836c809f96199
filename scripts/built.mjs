/**
 * Says whether the last build is newer than everything that it was made from: `current` or `stale`. `--note` records
 * that it is. Only saves the start of turbo, which decides by content; when in doubt it says stale.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, sourceFiles } from './tree.mjs';

const note = join(root, 'node_modules/.cache/zerd/built');
const outputs = [
  'packages/cli/dist/zerd.cjs',
  'packages/daemon/dist/main.js',
  'packages/simulator/dist/gateway/main.js',
];

if (process.argv[2] === '--note') {
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, fingerprint());
} else {
  console.log(isCurrent() ? 'current' : 'stale');
}

function isCurrent() {
  const there = [note, ...outputs.map((file) => join(root, file))].every((file) => existsSync(file));
  return there && readFileSync(note, 'utf8') === fingerprint();
}

/** Of the names, sizes and times of the sources and of the times of the outputs. */
function fingerprint() {
  const sources = sourceFiles(['protocol', 'packages'], ['.ts', '.js', '.mjs', '.json']).filter(
    (file) => !file.includes('/test/'),
  );
  const files = ['package-lock.json', 'tsconfig.base.json', 'turbo.json', ...sources, ...outputs];
  const lines = files.map((file) => {
    const { size, mtimeMs } = statSync(join(root, file));
    return `${file} ${size} ${mtimeMs}`;
  });
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
