/**
 * A model that does a bit of everything, by a seed: reads in every way, edits, writes, searches, recalls of any id it was
 * shown, several calls at once, broken arguments, odd summaries; and a world that changes files behind its back.
 */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Player, Step, StepCall } from '@zerd/simulator/players/player';
import type { RequestView } from '@zerd/simulator/view/request-view';
import { asksForSummary } from './compaction-scene.ts';

export interface Chance {
  /** From 0 up to but without `n`. */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
  /** True in so many of a hundred cases. */
  happens(percent: number): boolean;
  /** Lines that no other call gives. */
  lines(count: number): string;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  let made = 0;
  function below(n: number): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  }
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  const word = () => pick(['alpha', 'beta', 'gamma', 'const', 'return', 'value', 'widget', 'token']);
  const line = () => `${word()} ${word()} ${++made} ${word()};\n`;
  return {
    below,
    pick,
    happens: (percent) => below(100) < percent,
    lines: (n) => Array.from({ length: n }, line).join(''),
  };
}

const texts = ['a.ts', 'b.ts', 'crlf.txt', 'bom.txt', 'end.txt', 'empty.txt'];

export function mixedFiles({ lines }: Chance): Readonly<Record<string, string>> {
  const source = lines(60).trimEnd().split('\n');
  const cells = source.map((line) => ({ cell_type: 'code', metadata: {}, outputs: [], source: [line] }));
  return {
    ...{ 'a.ts': lines(60), 'b.ts': lines(200), 'crlf.txt': lines(50).replaceAll('\n', '\r\n'), 'empty.txt': '' },
    ...{ 'bom.txt': `\ufeff${lines(40)}`, 'end.txt': lines(30).trimEnd(), 'long.txt': `needle ${'y'.repeat(200_000)}` },
    'a.ipynb': JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  };
}

/** What somebody else does to the files. */
export function changeSomething(root: string, { below, pick, lines }: Chance): void {
  const path = join(root, pick(texts));
  if (!existsSync(path)) return;
  const text = readFileSync(path, 'utf8');
  const all = text.split('\n');
  const changes = [
    () => all.toSpliced(below(all.length), 1, ...lines(below(3)).split('\n').slice(0, -1)).join('\n'),
    () => `${lines(2)}${text}`,
    () => (text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n')),
    () => (text.endsWith('\n') ? text.slice(0, -1) : `${text}\n`),
    () => lines(40),
    () => text,
  ];
  writeFileSync(path, pick(changes)());
  utimesSync(path, new Date(), new Date());
}

/** The ids under which a request says that something can be had. */
export function idsShown(view: RequestView): readonly string[] {
  const text = JSON.stringify(view.messages);
  return [...text.matchAll(/archive ([0-9a-f]{12,64})\b|id\\+":\\+"([0-9a-f]{12,64})\\/g)].map(
    ([, a, b]) => a ?? b ?? '',
  );
}

export function mixedPlayer(root: () => string, chance: Chance, ids: Set<string>): Player {
  const { below, pick, happens, lines } = chance;
  return (view): Step => {
    for (const id of idsShown(view)) ids.add(id);
    if (asksForSummary(view)) return { aside: true, ...oddSummary(chance) };
    if (happens(20)) changeSomething(root(), chance);
    const reasoning = happens(50) ? { reasoning: `I think ${lines(1)}` } : {};
    if (happens(6)) return { ...reasoning, text: `Done: ${lines(1)}` };
    const calls = Array.from({ length: happens(70) ? 1 : 2 + below(3) }, () => oneCall(root(), chance, [...ids]));
    return { ...reasoning, ...(happens(30) ? { text: pick(['Now this.', 'And on.']) } : {}), calls };
  };
}

function oddSummary({ pick, lines }: Chance): Step {
  return pick<Step>([
    { text: `The work so far: ${lines(4)}` },
    { reasoning: 'What was it?', text: `It went like this: ${lines(4)}` },
    { text: lines(2_000) },
    { text: '' },
    { calls: [{ name: 'read', input: { path: 'a.ts' } }] },
  ]);
}

function oneCall(root: string, chance: Chance, ids: readonly string[]): StepCall {
  const { below, pick, happens, lines } = chance;
  const path = pick([...texts, 'long.txt', 'a.ipynb']);
  const range = happens(50) ? {} : { offset: 1 + below(60), limit: 1 + below(80) };
  const shell = (command: string) => ({ name: 'shell', input: { command } });
  const known = pick(readFileSync(join(root, path), 'utf8').split(/\r?\n/)).slice(0, 200);
  return pick<() => StepCall>([
    () => ({ name: 'read', input: { path, ...range } }),
    () => ({ name: 'read', input: { path, ...range } }),
    () =>
      shell(
        pick([`cat ${path}`, `sed -n '5,60p' ${path}`, `head -n 40 ${path}`, `tail -n 30 ${path}`, `nl -ba ${path}`]),
      ),
    () =>
      shell(
        pick(['seq 1 3000', 'for i in $(seq 300); do echo "f$i.ts:$i: error: bad"; done; exit 1', 'cat a.ts b.ts']),
      ),
    () => ({ name: 'edit', input: { path, old: known || 'nothing like it', new: lines(1 + below(2)).trimEnd() } }),
    () => ({ name: 'write', input: { path: pick(['new.txt', 'a.ts']), content: lines(1 + below(90)) } }),
    () => ({ name: 'search', input: { pattern: pick(['alpha', 'const \\w+', 'needle', '(']), context: below(3) } }),
    () => ({ name: 'recall', input: { id: pick(ids) ?? 'none', ...pick([{}, range, { pattern: 'alpha' }]) } }),
    () => ({ name: 'read', inputText: pick(['{"path": ', '[]', '{"path":"a.ts","bogus":1}']) }),
  ])();
}
