/** A program for a test to kill: builds, adds to and merges the index in argv[2] of the tree in argv[3], saying what it begins. */
import { appendFileSync, writeFileSync, writeSync } from 'node:fs';
import { openIndex } from '../../src/search/index/open-index.ts';

async function buildForever(folder: string, root: string): Promise<never> {
  const index = await openIndex({ folder, root, smallFiles: 0, threads: false, blockBytes: 64, spillPairs: 2_000 });
  for (let round = 0; ; round += 1) {
    writeSync(1, 'rebuild\n');
    await index.rebuild('a test');
    appendFileSync(`${root}/src/d0/f0.ts`, `needle appended ${round}\n`);
    writeFileSync(`${root}/src/new${round % 3}.ts`, `needle new ${round}\n`);
    index.note({ changed: ['src/d0/f0.ts', `src/new${round % 3}.ts`], removed: [] });
    writeSync(1, 'persist\n');
    await index.persist();
    writeSync(1, 'merge\n');
    await index.merge();
  }
}

void buildForever(process.argv[2] ?? '', process.argv[3] ?? '');
