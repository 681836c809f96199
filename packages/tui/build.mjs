// Bundles the compiled terminal UI. The colours of code come in by `import()` and stay in a file of their own, so that the
// first frame does not wait for them.
import { rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const here = import.meta.dirname;
const outdir = `${here}/dist/bundle`;
await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: `${here}/../..`,
  entryPoints: { tui: `${here}/dist/main.js` },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  // Bundled CommonJS packages ask for Node's own modules by require.
  banner: {
    js: `import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);`,
  },
  metafile: true,
  logLevel: 'warning',
});
const heavy = Object.keys(metafile.inputs).filter((input) => /node_modules[/\\]zod[/\\]/.test(input));
if (heavy.length > 0) throw new Error(`The client must not carry zod, but ${heavy[0]} came in`);
// What is in it, for the licences in the published package.
await writeFile(`${here}/dist/bundle.meta.json`, JSON.stringify(metafile));
