/**
 * Three projects for the whole house: `proc` starts real processes, `fault` breaks something on purpose (a kill, a torn
 * database, a failing call of the system, hostile bytes), `unit` is all the rest. Sources are read through the
 * `zerd-source` condition, so only `proc` needs a build.
 */
const proc = [
  'protocol/test/node/',
  'packages/daemon/test/(jobs|life|mcp|processes|zerdd)/',
  'packages/daemon/test/(serve|zerdd)\\.test\\.ts$',
  'packages/simulator/test/bench/tui\\.test\\.ts$',
  'test/(scripts|specs)/',
];
const fault = [
  'packages/daemon/test/search/crash\\.test\\.ts$',
  'packages/daemon/test/server/(fuzz|order)\\.test\\.ts$',
  'packages/daemon/test/store/(durability|faulty-system|full-disk|salvage)\\.test\\.ts$',
  'packages/daemon/test/watchdog/',
  'packages/providers/test/transport/(failures|fuzz|splits)\\.test\\.ts$',
  'packages/simulator/test/bench/soak\\.test\\.ts$',
];
const root = import.meta.dirname.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const within = (paths) => paths.map((path) => `^${root}/${path}`);
const tests = (paths) => within(paths).map((path) => (path.endsWith('$') ? path : `${path}.*\\.test\\.ts$`));

const project = (displayName, which) => ({
  displayName,
  rootDir: import.meta.dirname,
  ...which,
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['zerd-source', 'node', 'node-addons'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
});

export default {
  // Read here only: a project's own is not looked at.
  testTimeout: 30_000,
  projects: [
    project('unit', {
      testRegex: '(protocol|packages/[^/]+)/test/.*\\.test\\.ts$',
      testPathIgnorePatterns: ['/node_modules/', ...within([...proc, ...fault])],
    }),
    project('proc', { testRegex: tests(proc) }),
    project('fault', { testRegex: tests(fault) }),
  ],
};
