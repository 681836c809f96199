// Bundles the compiled client into one CommonJS file that starts fast. Invariant: no schema library in it.
import { chmod, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildPage } from './build-page.mjs';

const here = import.meta.dirname;

/** Modules whose value is known now: they are evaluated here and bundled as data, without what they import. */
const evaluated = {
  name: 'evaluated',
  setup(bundler) {
    bundler.onLoad({ filter: /[/\\]commands[/\\]method-reference\.js$/ }, async ({ path }) => {
      const exports = Object.entries(await import(pathToFileURL(path).href));
      return {
        contents: exports.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n'),
      };
    });
  },
};

const { metafile } = await build({
  absWorkingDir: `${here}/../..`,
  entryPoints: [`${here}/dist/main.js`],
  outfile: `${here}/dist/zerd.cjs`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  // yargs and the path of zerdd are found through the module's own place.
  define: { 'import.meta.url': '__zerdUrl' },
  banner: { js: 'const __zerdUrl=require("node:url").pathToFileURL(__filename).href;' },
  plugins: [evaluated],
  logLevel: 'warning',
});

const heavy = Object.keys(metafile.inputs).filter((input) => /node_modules[/\\]zod[/\\]/.test(input));
if (heavy.length > 0)
  throw new Error(`The client must not carry zod, but ${heavy.length} of its modules came in: ${heavy[0]}`);
// What is in it, for the licences in the published package.
await writeFile(`${here}/dist/zerd.meta.json`, JSON.stringify(metafile));
const page = await buildPage();
await Promise.all([
  writeFile(`${here}/dist/cost-page.html`, page.html),
  writeFile(`${here}/dist/cost-page.meta.json`, JSON.stringify(page.metafile)),
]);
await Promise.all(['zerd.js', 'zerdd.js'].map((name) => chmod(`${here}/bin/${name}`, 0o755)));
