/**
 * Who may import whom. Types count as imports. `scripts/check-layers.mjs` runs these rules, asserts that every source was
 * really read, and plants one violation for each rule to see it found: a new rule needs its plant there.
 */
const service =
  '(?:store|search|jobs|mcp|skills|watch|permissions|config|credentials|life|rules|web|login|tools/[^/]+)';
const clients = '^packages/(?:cli|tui|acp)/';
const houses = '^(?:protocol|packages/[^/]+)/src/';

/** The daemon's process entries, and what else stands above. */
const entries = (rooms) => `^packages/daemon/src/(?:${rooms}zerdd/|[^/]+\\.ts$)`;

/** `from` may import the house only where `allowed` matches; packages from npm and Node are other rules' matter. */
const only = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(?:protocol|packages)/', pathNot: allowed },
});

/** `from` may not import what `path` matches. */
const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    never('no-cycle', 'A cycle has no first reader.', {}, { circular: true }),
    never('resolves', 'An import that cannot be resolved escapes every other rule.', {}, { couldNotResolve: true }),
    only('common-alone', 'The contract knows nobody.', '^protocol/src/common/', '^protocol/src/common/'),
    only('protocol-alone', 'The protocol knows nobody but itself.', '^protocol/src/node/', '^protocol/src/'),
    only(
      'core-below',
      'core sees only the contract.',
      '^packages/core/src/',
      '^(?:packages/core|protocol/src/common)/',
    ),
    only(
      'providers-below',
      'The wires see core and the protocol.',
      '^packages/providers/src/',
      '^(?:packages/(?:providers|core)|protocol)/src/',
    ),
    only(
      'daemon-below',
      'The daemon sees the wires, core and the protocol.',
      '^packages/daemon/src/',
      '^(?:packages/(?:daemon|providers|core)|protocol)/src/',
    ),
    only(
      'clients-thin',
      'Clients speak only the protocol; bin/zerdd.js is the door to the daemon, bin/zerd.js to the other clients.',
      `${clients}(?:src|bin)/(?!zerdd?\\.js$)`,
      `^protocol/|${clients}`,
    ),
    never(
      'clients-apart',
      'A client never imports another client.',
      { path: '^packages/(cli|tui|acp)/src/' },
      { path: clients, pathNot: '^packages/$1/' },
    ),
    only(
      'oracle',
      'An oracle must not share the code it judges.',
      '^packages/simulator/src/(?!bench/)',
      '^packages/simulator/src/(?!bench/)',
    ),
    only(
      'benches',
      'A bench may measure decisions of core and be a client; what is sent is measured from outside.',
      '^packages/simulator/src/bench/',
      '^(?:packages/(?:simulator|core)|protocol/src/(?:common|node))/',
    ),
    never(
      'purity',
      'core and the contract do no I/O.',
      { path: '^(?:packages/core|protocol/src/common)/', pathNot: '/test/' },
      { dependencyTypes: ['core'] },
    ),
    never(
      'few-packages-below',
      'The contract uses zod, core also diff: both are pure. Nothing else of npm.',
      { path: '^(?:packages/core/src|protocol/src/common)/' },
      { path: 'node_modules/', pathNot: 'node_modules/(?:zod|diff)/' },
    ),
    never(
      'services-below',
      'A service never imports the server or the runner.',
      { path: `^packages/daemon/src/(?:${service}|base|files|processes)/` },
      { path: entries('server/|runner/|') },
    ),
    never(
      'services-apart',
      'A service never imports another service: they meet in the ports of base.',
      { path: `^packages/daemon/src/(${service})/` },
      { path: `^packages/daemon/src/${service}/`, pathNot: '^packages/daemon/src/$1/' },
    ),
    never(
      'tools-apart',
      'A tool never imports another tool.',
      { path: '^packages/daemon/src/tools/([^/]+)/' },
      { path: '^packages/daemon/src/tools/[^/]+/', pathNot: '^packages/daemon/src/tools/$1/' },
    ),
    never(
      'base-below',
      'base, files and processes import no service.',
      { path: '^packages/daemon/src/(?:base|files|processes)/' },
      { path: '^packages/daemon/src/', pathNot: '^packages/daemon/src/(?:base|files|processes)/' },
    ),
    never(
      'runner-below',
      'The runner never imports the server.',
      { path: '^packages/daemon/src/runner/' },
      { path: entries('server/|') },
    ),
    never(
      'server-below',
      'Only a process entry stands above the server.',
      { path: '^packages/daemon/src/server/' },
      { path: entries('') },
    ),
    never(
      'network-in-transport',
      'The network is used in one folder; the simulator is the other end of it. `web` only listens, on the loopback.',
      { path: houses, pathNot: '^packages/(?:providers/src/transport|simulator/src|daemon/src/web)/' },
      {
        path: '(?:^|node_modules/)(?:undici|openai|@anthropic-ai/sdk)(?:/|$)|^(?:node:)?(?:https?|http2|tls|dgram|dns)$',
      },
    ),
    never(
      'outside-tools-apart',
      'Outside tools are spoken to in one folder, which is loaded with the first server.',
      { path: houses, pathNot: '^packages/daemon/src/mcp/' },
      { path: '(?:^|node_modules/)@modelcontextprotocol/' },
    ),
    never(
      'sources-without-tests',
      'Product code never imports a test or its support.',
      { path: houses },
      { path: '(?:^|/)test/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['zerd-source', 'node', 'import', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'],
    },
  },
};
