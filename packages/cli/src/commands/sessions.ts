/** `zerd sessions`: the sessions of this repository, newest first. */
import type { SessionRow } from '@zerd/protocol/common/methods';
import { safeJson, sanitiseLine } from '@zerd/protocol/common/sanitise';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { money } from '../present/cost-line.ts';
import { table } from '../present/table.ts';

export const sessionsCommand = defineCommand({
  name: 'sessions',
  usage: 'sessions',
  says: 'Lists the sessions of this repository, newest first',
  positionals: {},
  options: ['json'],
  examples: [
    ['zerd sessions', 'A table'],
    ['zerd sessions --json', 'An array of objects, with costs in pico-dollars'],
  ],
  async perform({ json }, { terminal, connect, clock }) {
    const client = await connect('daemon');
    try {
      const { sessions } = await client.request('session/list', {});
      terminal.out(json === true ? `${safeJson(sessions)}\n` : sessionTable(sessions, clock.wall()));
      return exitCode.done;
    } finally {
      client.close();
    }
  },
});

export function sessionTable(sessions: readonly SessionRow[], now: number): string {
  if (sessions.length === 0) return 'No sessions here yet. Start one: zerd run "<prompt>"\n';
  const rows = sessions.map((row) => [
    row.sessionId,
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
  );
}

const head = ['SESSION', 'UPDATED', 'STATE', 'MODEL', 'REQUESTS', 'COST', 'TITLE'];

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
