/** `zerd sessions`: the sessions of this repository, newest first. */
import type { SessionRow } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { money } from '../present/cost-line.ts';
import { relation, sessionTree } from '../present/session-tree.ts';
import { table } from '../present/table.ts';

export const sessionsCommand = defineCommand({
  name: 'sessions',
  usage: 'sessions',
  says: 'Lists the sessions of this repository, newest first',
  positionals: {},
  options: ['tree', 'json'],
  examples: [
    ['zerd sessions', 'A table'],
    ['zerd sessions --tree', 'With sub-agents, and forks below their sources'],
    ['zerd sessions --json', 'An array of objects, with costs in pico-dollars'],
  ],
  async perform({ tree, json }, { terminal, connect, clock }) {
    const client = await connect('daemon');
    try {
      const { sessions } = await client.request('session/list', {});
      const shown = () => listing(sessions, tree === true, { now: clock.wall(), columns: terminal.outputColumns });
      terminal.out(json === true ? `${safeJson(sessions)}\n` : shown());
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

/** `columns`: of the terminal that it is shown in; absent: in none, and nothing is cut. */
interface Shown {
  readonly now: number;
  readonly columns?: number | undefined;
}

function listing(sessions: readonly SessionRow[], tree: boolean, how: Shown): string {
  if (tree && sessions.length > 0) return treeTable(sessions, how);
  const own = sessions.filter(({ parentId }) => parentId === undefined);
  const hidden = sessions.length - own.length;
  return `${sessionTable(own, how)}${hidden === 0 ? '' : `Not shown: ${hidden} of sub-agents. See \`zerd sessions --tree\`.\n`}`;
}

/** What a session is to the one above it stands in front of its title. */
export function treeTable(sessions: readonly SessionRow[], how: Shown): string {
  const rows = sessionTree(sessions).map(({ row, depth }) => {
    const title = relation(row) === '' ? row.title : `[${relation(row)}] ${row.title}`;
    return { row: { ...row, title }, name: `${'  '.repeat(depth)}${row.sessionId}` };
  });
  return tableOf(rows, how);
}

export function sessionTable(sessions: readonly SessionRow[], how: Shown): string {
  if (sessions.length === 0) return 'No sessions here yet. Start one: zerd run "<prompt>"\n';
  return tableOf(
    sessions.map((row) => ({ row, name: row.sessionId })),
    how,
  );
}

function tableOf(
  named: readonly { readonly row: SessionRow; readonly name: string }[],
  { now, columns }: Shown,
): string {
  const rows = named.map(({ row, name }) => [
    name,
    `${age(now - row.updatedAt)} ago`,
    row.state,
    row.model,
    String(row.requests),
    money(row),
    row.title,
  ]);
  return table(
    head,
    rows.map((cells) => cells.map(sanitiseLine)),
    columns === undefined ? undefined : { columns, giving },
  );
}

const head = ['SESSION', 'UPDATED', 'STATE', 'MODEL', 'REQUESTS', 'COST', 'TITLE'];

/** The end of a model's name tells it from others of its provider. */
const giving = [
  { column: head.indexOf('MODEL'), least: 12, keeps: 'end' },
  { column: head.indexOf('TITLE'), least: 20, keeps: 'begin' },
] as const;

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** '3 min'; the largest unit that fits. */
function age(ms: number): string {
  const [size, name] = units.find(([unit]) => ms >= unit) ?? [1000, 's'];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
}
