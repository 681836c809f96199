import { expect, test } from '@jest/globals';
import { renderPrompt } from '@zerd/core/context/render';
import { isOurLine } from '@zerd/core/context/repeat/pointer';
import fc from 'fast-check';
import { type Answer, type Desk, linesOf, openDesk } from './desk.ts';

/** Few different lines, so that files, outputs and their parts meet again and again. */
const line = fc.constantFrom('alpha '.repeat(8), 'beta '.repeat(9), 'gamma '.repeat(7), '}', '', 'delta '.repeat(10));
const block = fc.array(line, { minLength: 1, maxLength: 60 });
const path = fc.constantFrom('a.ts', 'b.ts');
const at = fc.nat(80);

type Move =
  | { readonly kind: 'read'; readonly path: string; readonly offset: number; readonly limit: number | undefined }
  | { readonly kind: 'cat'; readonly path: string }
  | { readonly kind: 'edit'; readonly path: string; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: 'change'; readonly path: string; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: 'write'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'shell'; readonly command: string; readonly from: string; readonly more: readonly string[] }
  | { readonly kind: 'trim'; readonly back: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      path,
      offset: at,
      limit: fc.option(at, { nil: undefined }),
    }),
    weight: 5,
  },
  { arbitrary: fc.record({ kind: fc.constant('cat' as const), path }), weight: 2 },
  {
    arbitrary: fc.record({ kind: fc.constant('edit' as const), path, at, lines: fc.array(line, { maxLength: 3 }) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('change' as const), path, at, lines: fc.array(line, { maxLength: 3 }) }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('write' as const), path, lines: block }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('shell' as const),
      command: fc.constantFrom('npm test', 'git diff'),
      from: path,
      more: fc.array(line, { maxLength: 2 }),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('trim' as const), back: fc.nat(8) }), weight: 2 },
);

const story = fc.record({ a: block, b: block, moves: fc.array(move, { maxLength: 25 }) });

/** Line numbers make every line of a file its own, except where a story repeats it. */
const fileOf = (lines: readonly string[]) => lines.map((text, i) => `${text}${i % 7 === 0 ? i : ''}\n`).join('');

test('I5: what a result points at is visible at that moment, and with it every line that was asked for is', () => {
  fc.assert(
    fc.property(story, ({ a, b, moves }) => {
      const desk = openDesk();
      desk.put('a.ts', fileOf(a));
      desk.put('b.ts', fileOf(b));
      for (const step of moves) play(desk, step);
    }),
    { numRuns: 300 },
  );
});

function play(desk: Desk, step: Move): void {
  const visible = desk.visible();
  switch (step.kind) {
    case 'read': {
      const lines = linesOf(desk.text(step.path));
      const offset = 1 + (step.offset % Math.max(1, lines.length));
      const limit = step.limit === undefined ? undefined : step.limit + 1;
      const answer = desk.read(step.path, offset, limit);
      check(desk, visible, answer, lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit));
      return;
    }
    case 'cat':
      check(desk, visible, desk.cat(step.path), linesOf(desk.text(step.path)));
      return;
    case 'shell': {
      const output = [...linesOf(desk.text(step.from)), ...step.more].join('\n');
      check(desk, visible, desk.shell(step.command, output), linesOf(output.trimEnd()));
      return;
    }
    case 'edit': {
      const [old, next] = edited(desk.text(step.path), step.at, step.lines);
      if (old !== next) desk.edit(step.path, old, next);
      return;
    }
    case 'change': {
      const lines = linesOf(desk.text(step.path));
      lines.splice(step.at % (lines.length + 1), 1, ...step.lines);
      desk.put(step.path, lines.map((text) => `${text}\n`).join(''));
      return;
    }
    case 'write':
      desk.write(step.path, fileOf(step.lines));
      return;
    case 'trim': {
      const calls = [...visible.keys()];
      const callId = calls.at(-1 - (step.back % Math.max(1, calls.length)));
      if (callId !== undefined) desk.trim(callId);
    }
  }
}

/** A line in the middle is replaced, named with enough before it to be unique. */
function edited(text: string, at: number, lines: readonly string[]): readonly [string, string] {
  const all = text.split(/(?<=\n)/);
  const end = at % (all.length + 1);
  const old = all.slice(0, end + 1).join('');
  return [old, all.slice(0, end).join('') + lines.map((line) => `${line}\n`).join('')];
}

type Visible = ReturnType<Desk['visible']>;

function check(desk: Desk, visible: Visible, answer: Answer, wanted: readonly string[]): void {
  const leans = (answer.leansOn ?? []).map((callId) => visible.get(callId));
  const prompt = rendered(desk);
  for (const text of [answer.text, ...leans.map((base) => base?.shown ?? 'no such call')])
    expect(prompt).toContain(JSON.stringify(text).slice(1, -1));
  // Without a middle that was left out by its cap, every line must be found: here, or where this points.
  if (answer.text.includes('left out: recall') || leans.some((base) => base?.shown.includes('left out: recall')))
    return;
  const found = new Set(
    [answer.text, ...leans.flatMap((base) => [base?.shown ?? '', unescaped(base?.inputJson)])].flatMap(plainLines),
  );
  for (const text of wanted) if (text.trim() !== '') expect(found.has(text.trimEnd())).toBe(true);
}

/** The lines of a text, also as a diff writes them. */
function plainLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((other) => !isOurLine(other));
  return lines.flatMap((other) => [other.trimEnd(), ...(/^[+ ]/.test(other) ? [other.slice(1).trimEnd()] : [])]);
}

function unescaped(json: string | undefined): string {
  return json === undefined ? '' : Object.values(JSON.parse(json) as object).join('\n');
}

function rendered(desk: Desk): string {
  return JSON.stringify(renderPrompt(desk.state(), 'key').messages);
}
