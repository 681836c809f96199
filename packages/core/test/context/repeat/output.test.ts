import { expect, test } from '@jest/globals';
import { renderPrompt } from '@zerd/core/context/render';
import { refusePointer } from '@zerd/core/context/repeat/guard';
import { leastRun } from '@zerd/core/context/repeat/runs';
import { applyHunks, unifiedHunks } from '@zerd/core/context/repeat/unified';
import type { UserBlock } from '@zerd/core/model/prompt';
import { changedBlocks } from '@zerd/core/text/line-diff';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import fc from 'fast-check';
import { linesOf, openDesk } from './desk.ts';

const tests = (n: number, failing: readonly number[] = []) =>
  Array.from({ length: n }, (_, i) => `${failing.includes(i) ? 'not ok' : 'ok'} ${i} - does thing number ${i}\n`).join(
    '',
  );

test('an identical output is a pointer with its archive id, whatever the command', () => {
  const desk = openDesk();
  desk.shell('npm test', tests(30));
  expect(desk.shell('npm test', tests(30)).text).toMatch(/^\[same as call 1, above; archive \w+\]$/);
  expect(desk.shell('npm run test', tests(30))).toMatchObject({ leansOn: ['c1'] });
});

test('a small output is shown again as it is', () => {
  const desk = openDesk();
  desk.shell('git status', 'clean\n');
  expect(desk.shell('git status', 'clean\n').text).toBe('clean');
});

test('the same command again is a diff against its last run, be that a diff itself', () => {
  const desk = openDesk();
  desk.shell('npm test', tests(60));
  const second = desk.shell('npm test', tests(60, [7]), { outcome: 'failed', head: 'exit 1' });
  expect(linesOf(second.text)).toEqual([
    'exit 1',
    expect.stringMatching(/^\[as call 1, above, but for this; archive \w+\]$/),
    '@@ -1 +1,2 @@',
    '+exit 1',
    ' ok 0 - does thing number 0',
    '@@ -7,3 +8,3 @@',
    ' ok 6 - does thing number 6',
    '-ok 7 - does thing number 7',
    '+not ok 7 - does thing number 7',
    ' ok 8 - does thing number 8',
  ]);
  const third = desk.shell('npm test', tests(60, [7, 9]), { outcome: 'failed', head: 'exit 1' });
  expect(third.leansOn).toEqual(['c2', 'c1']);
  expect(linesOf(third.text).slice(0, 3)).toEqual([
    'exit 1',
    expect.stringMatching(/^\[as call 2, above, but for this; archive \w+\]$/),
    '@@ -10,3 +10,3 @@',
  ]);
  const fourth = desk.shell('npm test', tests(60, [7, 9]), { outcome: 'failed', head: 'exit 1' });
  expect(fourth.text).toMatch(/^exit 1\n\[same as call 3, above; archive \w+\]$/);
  expect(fourth.leansOn).toEqual(['c3', 'c2', 'c1']);
});

test('an output that changed all over is shown whole and is the base from then on', () => {
  const desk = openDesk();
  desk.shell('npm test', tests(60));
  const words = tests(60).replaceAll('does', 'checks');
  expect(desk.shell('npm test', words)).not.toHaveProperty('leansOn');
  expect(desk.shell('npm test', words.replace('ok 3 ', 'not ok 3 ')).leansOn).toEqual(['c2']);
});

test('I5: after a trim of the base neither pointer nor diff stands on it', () => {
  const desk = openDesk();
  const { callId } = desk.shell('npm test', tests(60));
  desk.shell('npm test', tests(60, [7]));
  desk.trim(callId);
  expect(desk.shell('npm test', tests(60, [7])).text).toBe(tests(60, [7]).trimEnd());
  expect(desk.shell('npm test', tests(60, [7, 8])).leansOn).toEqual(['c3']);
});

test('a chain of diffs ends after six: the next one is against the whole again', () => {
  const desk = openDesk();
  desk.shell('npm test', tests(60));
  const failing = Array.from({ length: 9 }, (_, n) => desk.shell('npm test', tests(60, [n])));
  expect(failing.map(({ leansOn = [] }) => leansOn.length)).toEqual([1, 2, 3, 4, 5, 6, 6, 6, 6]);
});

test('old lines and hunks give the new lines', () => {
  const line = fc.constantFrom('a', 'b', '+c', '-d', '@@ -1 +1 @@', ' e', '');
  const some = fc.array(line, { maxLength: 25 });
  fc.assert(
    fc.property(some, some, fc.nat(3), (old, now, context) => {
      const hunks = unifiedHunks(old, now, changedBlocks(old, now) ?? [], context);
      expect(applyHunks(old, hunks)).toEqual(now);
    }),
  );
});

test('a long run of lines that an earlier result shows is left out, a shorter one is not', () => {
  const lines = (from: number, count: number) =>
    tests(from + count)
      .split('\n')
      .slice(from, from + count);
  const desk = openDesk();
  desk.shell('git diff', lines(0, 60).join('\n'));
  const shown = desk.shell('git show', ['commit 1', ...lines(5, leastRun), 'end'].join('\n'));
  expect(linesOf(shown.text)).toEqual([
    'commit 1',
    expect.stringMatching(/^\[40 lines as in call 1, above, from "ok 5 - does thing number 5" on; archive \w+\]$/),
    'end',
  ]);
  const short = ['commit 2', ...lines(5, leastRun - 1), 'end'].join('\n');
  expect(desk.shell('git show HEAD~1', short).text).toBe(short);
});

test('an error of a tool is shown again as it is', () => {
  const desk = openDesk();
  const error = `The pattern was not accepted. ${'It goes on and on. '.repeat(20)}`;
  desk.call('search', { pattern: '(' }, error, { outcome: 'failed' });
  expect(desk.call('search', { pattern: '(' }, error, { outcome: 'failed' }).text).toBe(error);
});

test('P020: a write or an edit of a pointer is refused, a text that only looks like one is not', () => {
  const desk = openDesk();
  desk.put('a.ts', tests(40));
  desk.read('a.ts');
  const { text } = desk.read('a.ts');
  const check = (name: string, input: object) => refusePointer(name, input, desk.state) !== undefined;
  expect(check('write', { path: 'a.ts', content: text })).toBe(true);
  expect(check('write', { path: 'b.ts', content: `// copied\n${text}\nend\n` })).toBe(true);
  expect(check('edit', { path: 'a.ts', old: 'x', new: `\n  ${text}\n` })).toBe(true);
  expect(
    check('write', { path: 'a.ts', content: '[b.ts unchanged since call 3: lines 1-9 above; archive 0123456789ab]' }),
  ).toBe(true);
  expect(
    check('write', { path: 'a.md', content: 'So:\n[x unchanged since call 3: line 1 above; archive 0123456789ab]\n' }),
  ).toBe(false);
  expect(check('write', { path: 'a.ts', content: tests(40) })).toBe(false);
  expect(check('write', { path: 'a.ts', content: '' })).toBe(false);
  expect(check('shell', { command: `echo ${JSON.stringify(text)}` })).toBe(false);
});

test('P020: what a trim, a summary or a cut left of a text is no text either', () => {
  const desk = openDesk();
  const refused = (content: string) => refusePointer('write', { path: 'x.ts', content }, desk.state) !== undefined;
  const sent = () =>
    renderPrompt(desk.state(), 'key').messages.flatMap<UserBlock | AssistantBlock>(({ blocks }) => [...blocks]);
  desk.put('a.ts', tests(40));
  const { callId } = desk.read('a.ts');
  const written = desk.write('b.ts', tests(20));
  desk.put('long.js', `short\n${'const x = 1; '.repeat(400)}\n`);
  const clipped = desk.read('long.js').text;
  expect(clipped).toContain('bytes left out]');
  expect(refused(clipped)).toBe(true);
  expect(refused(`before\n${linesOf(clipped)[1]}\nafter\n`)).toBe(true);
  expect(refused('a text of [1,234 bytes left out] in words\n')).toBe(false);
  desk.trim(callId);
  desk.trim(written);
  const stub = sent().find((block) => block.kind === 'toolResult' && block.callId === callId);
  const call = sent().find((block) => block.kind === 'toolCall' && block.callId === written);
  if (stub?.kind !== 'toolResult' || call?.kind !== 'toolCall') throw new Error('the transcript shows neither');
  expect(stub.text).toContain('bytes cleared: recall');
  expect(refused(stub.text)).toBe(true);
  const { content } = JSON.parse(call.inputJson) as { content: string };
  expect(refused(content)).toBe(true);
  expect(refused(`// as before\n${content}\n`)).toBe(true);
  const pointer = '[a.ts unchanged since call 1: lines 1-9 above; archive 0123456789ab]';
  expect(refused(`one\n${pointer}\n`)).toBe(false);
  desk.compact(`FILES AND CODE\n\`\`\`\none\n${pointer}\n[812 bytes left out]\ntwo\n\`\`\``);
  expect(refused(`one\n${pointer}\n`)).toBe(true);
  expect(refused('one\n[812 bytes left out]\ntwo\n')).toBe(true);
});

test('P064 P066: windows that bring no new line are counted, however they wrap or change', () => {
  const desk = openDesk();
  desk.put('a.ts', tests(120));
  const windows = [1, 41, 81];
  for (const offset of windows) expect(desk.read('a.ts', offset, 40)).not.toHaveProperty('nothingNew');
  expect(desk.read('a.ts', 1, 40).nothingNew).toEqual({ of: 'a.ts', times: 1 });
  expect(desk.read('a.ts', 30, 25).text).not.toContain('in a row');
  expect(desk.read('a.ts', 81, 40).text).toMatch(
    /; archive \w+\]\n\[3 times in a row no new line of a\.ts: use what is above\]$/,
  );
  expect(desk.read('a.ts', 7, 3)).toMatchObject({ nothingNew: { times: 4 } });
  desk.edit('a.ts', 'ok 7 -', 'ok seven -');
  expect(desk.read('a.ts', 1, 40).nothingNew).toEqual({ of: 'a.ts', times: 1 });
  desk.put('a.ts', `${desk.text('a.ts')}ok 120 - more\n`);
  expect(desk.read('a.ts', 81, 41)).not.toHaveProperty('nothingNew');
  expect(desk.read('a.ts', 81, 41).nothingNew).toEqual({ of: 'a.ts', times: 1 });
});

test('P068: archived output at two offsets in turn is a cycle, paging forward is none', () => {
  const desk = openDesk();
  const all = linesOf(tests(200));
  const recall = (offset: number) => {
    const rows = all.slice(offset - 1, offset + 39);
    const foot = `[lines ${offset}-${offset + 39} of 200; next offset ${offset + 40}]`;
    const read = {
      ...{ path: 'archive:0123456789ab', hash: '0123456789ab', lines: 200, first: offset, rows, foot },
      ...{ text: undefined, archiveId: '0123456789ab' as never },
    };
    return desk.call('recall', { id: '0123456789ab', offset, limit: 40 }, [...rows, foot].join('\n'), { read });
  };
  for (const offset of [1, 41, 81, 121]) expect(recall(offset)).not.toHaveProperty('nothingNew');
  expect(recall(1).text).toMatch(
    /^\[archive:0123456789ab unchanged since call 1: .+\]\n\[lines 1-40 of 200; next offset 41\]$/,
  );
  expect([recall(81), recall(1)].map(({ nothingNew }) => nothingNew?.times)).toEqual([2, 3]);
  expect(recall(161)).not.toHaveProperty('nothingNew');
});

test('searches are counted by what they show, in whatever words they ask', () => {
  const desk = openDesk();
  const hits = (...lines: readonly number[]) =>
    ['src/a.ts', ...lines.map((n) => `${n}: const number${n} = ${n};`)].join('\n');
  const search = (pattern: string, shown: string) => desk.call('search', { pattern }, shown);
  expect(search('const', hits(1, 2, 3, 4))).not.toHaveProperty('nothingNew');
  expect(search('const n', hits(2, 3)).nothingNew).toEqual({ of: 'src/a.ts', times: 1 });
  expect(search('number', hits(2, 3, 4)).nothingNew?.times).toBe(2);
  expect(search('const', hits(1, 2, 3, 4)).text).toMatch(/\[3 times in a row no new line of src\/a\.ts/);
  expect(search('none', 'no matches')).not.toHaveProperty('nothingNew');
  expect(search('nil', 'no matches')).not.toHaveProperty('nothingNew');
});
