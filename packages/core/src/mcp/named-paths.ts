/**
 * Says which paths an entry may name, so that the user's word covers the files behind them: what the command, the arguments
 * and the variables that steer a program say, parts of them, and where programs look for what they are given. It names too
 * many rather than too few; whoever asks keeps those that are files of the workspace. What such a file itself loads is not
 * covered.
 */
import { fillWithDefaults } from './fill-in.ts';
import type { McpEntry } from './server.ts';
import { isSteeringName } from './steering-names.ts';

/**
 * Relative ones count from the workspace, in which a server is started. `folders` are those of the paths, named before,
 * that are folders: a program may go there first (`cd tools && …`, `--directory tools`, `make -C tools`).
 */
export function namedPaths(entry: McpEntry, folders: readonly string[] = []): readonly string[] {
  const found = new Set<string>();
  for (const each of [entry, fillWithDefaults(entry)]) {
    if (each.kind !== 'stdio') continue;
    for (const path of pathsOf(each)) found.add(path);
    for (const path of pathsBelow(each)) for (const folder of folders) found.add(`${folder}/${path}`);
  }
  return [...found].filter((path) => path !== '' && path.length < 4_096);
}

/** Looked for in each folder: what is said, as it is said, and what programs read there by themselves. */
function pathsBelow({ command, args }: Extract<McpEntry, { kind: 'stdio' }>): readonly string[] {
  const words = [command, ...args].flatMap(wordsOf).filter((word) => !word.startsWith('/'));
  return [...words, ...words.map((word) => `node_modules/.bin/${word}`), ...Object.values(manifests).flat()];
}

function pathsOf({ command, args, env }: Extract<McpEntry, { kind: 'stdio' }>): readonly string[] {
  const steering = Object.entries(env).flatMap(([name, value]) => (isSteeringName(name) ? [value] : []));
  const words = [command, ...args, ...steering].flatMap(wordsOf);
  const program = baseName(command);
  const bins = runners.has(program) ? words.map((word) => `node_modules/.bin/${word}`) : [];
  // What the entry says of where commands are looked for.
  const searched = (env.PATH ?? '').split(':').map((folder) => `${folder === '' ? '.' : folder}/${command}`);
  const modules = args.includes('-m') ? words.map((word) => word.replaceAll('.', '/')) : [];
  return [
    ...[...words, ...modules].flatMap((word) => [word, ...endings.map((ending) => `${word}${ending}`)]),
    ...bins,
    ...searched,
    ...(manifests[program] ?? []),
  ];
}

/** The whole, and what of it may be a path by itself: of `--config=a.js`, of `sh -c "node a.js"`, of a list. */
function wordsOf(text: string): readonly string[] {
  const parts = text.split(/[\s"'`=:,;|&()<>{}$]+/).filter((part) => part !== '');
  const bare = parts.map((part) => part.replace(/^-+[A-Za-z]?/, ''));
  const address = /^file:\/\/(\/.*)$/.exec(text)?.[1];
  return [...new Set([text, ...parts, ...bare, ...(address === undefined ? [] : [address])])].filter(
    (word) => word !== '',
  );
}

/** Where interpreters look when they are given less than a file's whole name. */
const endings: readonly string[] = [
  ...['.js', '.mjs', '.cjs', '.ts', '.json', '.py', '.rb', '.sh'],
  ...['/package.json', '/index.js', '/index.mjs', '/index.cjs', '/index.ts', '/__main__.py', '/__init__.py'],
];

const runners: ReadonlySet<string> = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx']);

const packageFiles = ['package.json', '.npmrc', '.yarnrc.yml'];
const python = ['pyproject.toml', 'uv.toml'];

/** What a program reads that runs what a file of the workspace says. */
const manifests: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries([...runners].map((runner) => [runner, packageFiles])),
  deno: ['deno.json', 'deno.jsonc'],
  uv: python,
  uvx: python,
  poetry: python,
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  cargo: ['Cargo.toml', '.cargo/config.toml'],
  docker: ['docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml', 'Dockerfile'],
};

function baseName(command: string): string {
  return command.slice(command.lastIndexOf('/') + 1);
}
