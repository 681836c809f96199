// Bundles the compiled daemon into files that start twice as fast as its modules. What comes in by `import()` (the SDKs,
// the HTTP client) stays in files of its own, so that an idle daemon never reads it. Native packages stay outside.
import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;

/** zod brings its messages in fifty languages; only the default one is used. */
const oneLanguage = {
  name: 'one-language',
  setup(bundler) {
    bundler.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js';`,
      resolveDir: dirname(path),
    }));
  },
};

/** The client of outside tools is given a validator (`mcp/connect.ts`); the SDK's own, Ajv, would be most of its bundle. */
const ownValidator = {
  name: 'own-validator',
  setup(bundler) {
    bundler.onLoad({ filter: /[/\\]@modelcontextprotocol[/\\]sdk[/\\].*[/\\]ajv-provider\.js$/ }, () => ({
      contents: `export class AjvJsonSchemaValidator { constructor() { throw new Error('no validator was given'); } }`,
    }));
  },
};

const outdir = `${here}/dist/bundle`;
await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  // Names of files in comments are relative to this: the same bundle wherever the tree lies.
  absWorkingDir: `${here}/../..`,
  entryPoints: {
    zerdd: `${here}/dist/main.js`,
    'search-worker': `${here}/dist/search/index/worker.js`,
    'search-watch': `${here}/dist/search/fresh/thread.js`,
    // What commands run under is a program of its own: it outlives the daemon, and starts in little time and room.
    'command-host': `${here}/dist/processes/host/main.js`,
  },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Not minified: the log keeps the stacks of defects.
  legalComments: 'none',
  external: ['better-sqlite3', '@vscode/ripgrep'],
  // ws takes native helpers where somebody has installed them; nobody has, and the bundle may not ask for them.
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  // Bundled CommonJS packages ask for Node's own modules by require.
  banner: {
    js: `import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);`,
  },
  plugins: [oneLanguage, ownValidator],
  metafile: true,
  logLevel: 'warning',
});
// What is in it, for the licences in the published package.
await writeFile(`${here}/dist/bundle.meta.json`, JSON.stringify(metafile));
