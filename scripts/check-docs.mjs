/**
 * A document that names a file which does not exist misleads: every path in backticks must be there, and
 * `docs/dependencies.md` must have exactly the dependencies of the package.json files, with their versions.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, pass, root, sourceFiles } from './tree.mjs';

const documents = ['README.md', 'ARCHITECTURE.md', 'AGENTS.md', 'CONTRIBUTING.md', ...sourceFiles(['docs'], ['.md'])];

/** Where a short path in a text may begin: `core/context` is a room of the package core. */
const beginnings = ['', 'packages/', 'docs/'];

const named = documents.flatMap((document) => pathsIn(document).map((path) => ({ document, path })));
const missing = named.filter(({ path }) => !candidates(path).some((candidate) => existsSync(join(root, candidate))));
const links = documents.flatMap(brokenLinks);
if (named.length < 20) fail('docs', [`only ${named.length} paths found in the documents: the check itself is broken`]);
const findings = [
  ...missing.map(({ document, path }) => `${document}: \`${path}\` does not exist`),
  ...links,
  ...differingDependencies(),
];
if (findings.length > 0) fail('docs', findings);
pass('docs', `${named.length} paths named in ${documents.length} documents exist`);

/** What stands in backticks and looks like a path of this repository: a slash or a source ending, no spaces, no pattern. */
function pathsIn(document) {
  const prose = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```/gms, '');
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text);
  return quoted.filter((text) => /^\.?[\w@.-]+(?:\/[\w@.-]+)*\/?$/.test(text) && looksLikePath(text));
}

function looksLikePath(text) {
  if (/^(?:\.\/)?(?:protocol|packages|scripts|test|docs|\.ci)\//.test(text)) return true;
  if (/^(?:common|node|core|providers|daemon|cli|simulator)\/[\w./-]+$/.test(text)) return true;
  return /[\w-]\.(?:ts|mjs|cjs|md)$/.test(text) || /^[\w.-]*(?:biome|turbo|package|tsconfig[\w.]*)\.json$/.test(text);
}

/** A room's short name (`core/session/fold`) is the path of its source with or without the ending. */
function candidates(path) {
  const short = path.replace(/^\.\//, '');
  const [first = '', ...rest] = short.split('/');
  const inRoom = ['common', 'node'].includes(first)
    ? `protocol/src/${short}`
    : `packages/${first}/src/${rest.join('/')}`;
  return [...beginnings.map((beginning) => beginning + short), inRoom, `${inRoom}.ts`];
}

/** Relative links of a document to files that are not there. */
function brokenLinks(document) {
  const text = readFileSync(join(root, document), 'utf8');
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => target);
  return targets
    .filter((target) => !existsSync(join(root, document, '..', target)))
    .map((target) => `${document}: the link to ${target} leads nowhere`);
}

function differingDependencies() {
  const manifests = ['package.json', ...sourceFiles(['protocol', 'packages'], ['package.json'])].map((file) =>
    JSON.parse(readFileSync(join(root, file), 'utf8')),
  );
  const used = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => !name.startsWith('@zerd/'))
      .map(([name, version]) => `\`${name}\` ${version.replace(/^npm:[^ ]+@/, '')}`),
  );
  const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (`[^`]+`) +\| (\S+) +\|/gm)].map(([, name, version]) => `${name} ${version}`);
  return [
    ...[...new Set(used)].filter((row) => !rows.includes(row)).map((row) => `docs/dependencies.md: no row for ${row}`),
    ...rows.filter((row) => !used.includes(row)).map((row) => `docs/dependencies.md: nobody uses ${row}`),
  ];
}
