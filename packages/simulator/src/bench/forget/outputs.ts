/** Logs, settings and plans of the forget bench: each hides one fact in its middle. Made without chance. */
import { valueFor } from './value-for.ts';

const verbs = ['open', 'read', 'check', 'apply', 'write', 'retry', 'merge', 'drop', 'list', 'count'];
const things = ['record', 'session', 'header', 'batch', 'index', 'route', 'query', 'cursor', 'lease', 'token', 'audit'];

/** Beginning and end of a test's output of about 4 kB, and the lines of an error that stand between them. */
export function checkParts(round: number, area: string, id: string) {
  const lines = Array.from(
    { length: 62 },
    (_, i) => `--- PASS: ${nameOf('Check', round * 71 + i)} (${area} case ${i + 1}, 0.${10 + ((i * 7) % 89)} s)`,
  );
  const error = `src/${area}/store.ts:${40 + round}: error ${id}: wanted ${valueFor(id)}, got nothing`;
  return {
    begin: joined(lines.slice(0, 33)),
    error: joined([`--- FAIL: ${nameOf('Check', round * 71 + 90)} (${area})`, error]),
    end: joined(lines.slice(33)),
  };
}

/** About 2 kB; what matters of it is how the command that prints it ends. */
export function probeLog(round: number): string {
  return joined(
    Array.from(
      { length: 30 },
      (_, i) => `probe ${i + 1}: ${nameOf('node', round * 37 + i)} answers after ${i * 3 + round} ms`,
    ),
  );
}

/** About 3 kB; once it was shown it is gone. */
export function ticketText(round: number, id: string): string {
  const lines = Array.from(
    { length: 44 },
    (_, i) => `seat ${i + 1}: row ${round * 9 + i}, held for ${nameOf('guest', round * 53 + i)}`,
  );
  return joined(lines, 23, [`TICKET_${id}: ${valueFor(id)}`]);
}

/** About 24 kB, of which a result shows the ends: the fact is in no line that reports trouble. */
export function deployLog(id: string): string {
  const lines = Array.from(
    { length: 330 },
    (_, i) => `12:0${i % 10}:${10 + (i % 50)} host-${i % 17} step ${i + 1}: ${nameOf('unit', i)} is up (${i * 31} ms)`,
  );
  return joined(lines, 170, [`12:05:33 host-4 RELEASE_${id}: ${valueFor(id)}`]);
}

/** About 18 kB on one line. */
export function bundleText(id: string): string {
  const code = Array.from(
    { length: 260 },
    (_, i) => `function ${nameOf('f', i)}(e,t){return t&&t.${verbs[i % 10]}(e,${i * 3})}`,
  );
  return `${[...code.slice(0, 140), `/*BUILD_${id}:${valueFor(id)}*/`, ...code.slice(140)].join('')}\n`;
}

/** About 1.8 kB; the section `retry` is to be edited. */
export function settingsText(round: number): string {
  const lines = Array.from({ length: 48 }, (_, i) => `${nameOf('key', round * 29 + i)} = ${(i * 37 + round) % 1000}`);
  return joined(lines, 24, ['[retry]', `rule = none-${round}`]);
}

export const settingsEdit = (round: number, id: string) => ({
  old: `[retry]\nrule = none-${round}`,
  new: [
    '[retry]',
    `RETRY_${id} = ${valueFor(id)}`,
    `; the rule of round ${round} stands for every host that answers late: wait, try again, wait twice as long, and give up after the fifth attempt`,
    `rule = slow-${round}`,
  ].join('\n'),
});

/** About 1.6 kB; it is replaced after it was read. */
export function planText(round: number, id: string): string {
  const lines = Array.from(
    { length: 32 },
    (_, i) => `${i + 1}. ${nameOf('Step', round * 43 + i)} before week ${i + round * 2}`,
  );
  return joined(lines, 16, [`AGREED_${id}: ${valueFor(id)}`]);
}

export function newPlan(round: number): string {
  return joined(Array.from({ length: 14 }, (_, i) => `${i + 1}. ${nameOf('Task', round * 61 + i)} is next`));
}

function nameOf(first: string, i: number): string {
  return `${first}-${verbs[i % verbs.length]}-${things[(i * 3) % things.length]}-${i}`;
}

function joined(lines: readonly string[], at = 0, inner: readonly string[] = []): string {
  return `${[...lines.slice(0, at), ...inner, ...lines.slice(at)].join('\n')}\n`;
}
