// Makes the page of `zerd cost --html`, all but its data: one file that needs no other and may ask for none.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;

/** Settles with the page, and with what is in it. The data goes where `dataPlace` stands. */
export async function buildPage() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: `${here}/../..`,
    entryPoints: [`${here}/src/page/main.ts`, `${here}/src/page/page.css`],
    outdir: `${here}/dist/page`,
    write: false,
    bundle: true,
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    format: 'iife',
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    metafile: true,
    logLevel: 'warning',
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
  return { html: pageOf(textOf('.js'), textOf('.css')), metafile };
}

export const dataPlace = '@@cost@@';

/** Nothing but this very script and this very style may do anything, and neither may fetch. */
function pageOf(script, style) {
  if (/<\/(?:script|style)/i.test(script + style)) throw new Error('The page would end in the middle of its script.');
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>zerd cost</title>
<style>${style}</style>
</head>
<body>
<noscript>The charts and tables of this page are drawn by a script, and scripts are off.</noscript>
<script type="application/json" id="cost">${dataPlace}</script>
<script>${script}</script>
</body>
</html>
<!--
The charts are drawn by uPlot (https://github.com/leeoniya/uPlot), which is part of this page.

${licence()}
-->
`;
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function licence() {
  const folder = dirname(dirname(createRequire(import.meta.url).resolve('uplot')));
  return readFileSync(join(folder, 'LICENSE'), 'utf8').trim();
}
