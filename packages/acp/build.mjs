// Bundles the compiled adapter into one file that starts fast.
import { writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const here = import.meta.dirname;
const { metafile } = await build({
  absWorkingDir: `${here}/../..`,
  entryPoints: [`${here}/dist/main.js`],
  outfile: `${here}/dist/acp.mjs`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'none',
  // Bundled CommonJS packages ask for Node's own modules by require.
  banner: {
    js: `import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);`,
  },
  metafile: true,
  logLevel: 'warning',
});
// What is in it, for the licences in the published package.
await writeFile(`${here}/dist/acp.meta.json`, JSON.stringify(metafile));
