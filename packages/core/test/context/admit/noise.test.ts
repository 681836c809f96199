import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { admit } from '@zerd/core/context/admit/admit';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import { isWellFormed, utf8Length } from '@zerd/core/text/utf8';
import fc from 'fast-check';

const archiveId = '0123456789ab';
const shell = { tool: 'shell', failed: false, archiveId, caps: { ...defaultCaps, line: 4_000 } } as const;

function show(text: string, failed = false) {
  return admit({ tool: 'shell', failed, body: { kind: 'text', text }, archiveId, caps: defaultCaps });
}

function check(text: string, expected: string) {
  expect(show(text).shown).toBe(expected);
}

test('colours, titles, links and other control sequences go, their text stays', () => {
  check('\x1b[31;1mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\x1b(B\n', 'red xlink');
  check('\x1b_bk;t=17\x07line\r\nnext\r\r\n', 'line\nnext');
  check('bell\x07 nul\0 del\x7f c1\x9b', 'bell nul del c1');
  check('an unended title \x1b]0;abc\nthe next line stays', 'an unended title \nthe next line stays');
  check('cut off \x1b[3', 'cut off 3');
});

test('a line that was overwritten after a carriage return shows its last state', () => {
  check('Progress 10%\rProgress 20%\rdone\n', 'done');
  check('loading\r\x1b[Kready\n', 'ready');
  check('Downloading\r           \rDone\n', 'Done');
  check(
    `${Array.from({ length: 652 }, (_, i) => `Rebasing (${i}/652)\r`).join('')}Successfully rebased\n`,
    'Successfully rebased',
  );
});

test('backspaces and spinner frames leave what they ended on', () => {
  check('Installing ... -\b \b\\\b \b|\b \bdone\n', 'Installing ... done');
  check('\u280b work\r\u2819 work\r\u2839 work\r\u2714 work\n', '\u2714 work');
});

test('P124: an install with a progress bar shows its final state only', () => {
  const frames = Array.from(
    { length: 60 },
    (_, i) => `\x1b[1A\x1b[2K[${'#'.repeat(i)}${'.'.repeat(60 - i)}] ${i}/60\n`,
  );
  check(`Fetching\n\n${frames.join('')}added 60 packages\n`, `Fetching\n[${'#'.repeat(59)}.] 59/60\nadded 60 packages`);
});

test('P122: progress lines with cursor codes and real line ends show the first, the last and a count', () => {
  const lines = Array.from({ length: 44 }, (_, i) => `\x1b[2K\x1b[1G step ${i + 1} of 44: ${i}%\n`).join('');
  const shown = ' step 1 of 44: 0%\n[42 lines like these two left out]\n step 44 of 44: 43%';
  expect(show(lines)).toEqual({
    shown: `${shown}\n[shortened; the whole: recall {"id":"0123456789ab"} with "pattern" or "offset"]`,
    whole: false,
  });
});

test('equal lines in a row are counted, and nothing is lost by it', () => {
  const line = 'warning: unused variable in the generated code';
  expect(show(`${`${line}\n`.repeat(40)}end\n`)).toEqual({
    shown: `${line}\n[the same line 39 more times]\nend`,
    whole: true,
  });
  check('a\n\n\n\n\nb\n', 'a\n\nb');
  check('}\n}\n}\n}\n', '}\n}\n}\n}');
});

test('lines that differ in numbers only stay as long as everything fits', () => {
  const numbers = Array.from({ length: 100 }, (_, i) => `${i}`).join('\n');
  expect(show(`${numbers}\n`)).toEqual({ shown: numbers, whole: true });
  const many = Array.from({ length: 3_000 }, (_, i) => `worker ${i} started`).join('\n');
  expect(show(many).shown).toBe(
    'worker 0 started\n[2,998 lines like these two left out]\nworker 2999 started\n[shortened; the whole: recall {"id":"0123456789ab"} with "pattern" or "offset"]',
  );
});

test('carriage returns that end lines instead of frames lose nothing', () => {
  check('alpha\rbeta\rgamma\rdelta\repsilon', 'alpha\nbeta\ngamma\ndelta\nepsilon');
});

test('a cleared screen keeps what was there before', () => {
  check('first page\x1b[2J\x1b[Hsecond page\n', 'first page\nsecond page');
});

test('output made to be slow to clean is cleaned all the same', () => {
  const long = 'x'.repeat(200_000);
  expect(utf8Length(show(`${long}${'\b\by'.repeat(200_000)}`).shown)).toBeLessThanOrEqual(defaultCaps.shell);
});

test('reading a file touches none of this', () => {
  const text = '\x1b[31mred\x1b[0m\r\n10%\r20%\nsame\nsame\nsame\nsame\n';
  expect(admit({ tool: 'read', failed: false, body: { kind: 'text', text }, archiveId, caps: defaultCaps })).toEqual({
    shown: text,
    whole: true,
  });
});

test('cleaning is idempotent on what it left whole, and never invents a byte', () => {
  const piece = fc.constantFrom(
    'a',
    'b\n',
    '\r',
    '\b',
    '\x1b[2K',
    '\x1b[1A',
    '\x1b[3C',
    '50%',
    '\x1b[0m',
    '\u{1f600}',
    '\t',
    '\r\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const once = show(pieces.join(''));
      if (!once.whole || once.shown === '(no output)') return true;
      return !/[\x00-\x08\x0b-\x1f\x7f]/.test(once.shown) && show(once.shown).shown === once.shown;
    }),
  );
});

const noise = process.env.ZERD_DATA === undefined ? undefined : join(process.env.ZERD_DATA, 'noise');

(noise === undefined ? test.skip : test)(
  'real outputs of failing commands fit into the cap and keep their last line',
  () => {
    const folder = noise ?? '';
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'manifest.json') : [];
    expect(files.length).toBeGreaterThanOrEqual(20);
    for (const file of files) {
      const { shown, whole } = show(readFileSync(join(folder, file), 'utf8'), true);
      expect({ file, fits: utf8Length(shown) <= defaultCaps.failingShell }).toEqual({ file, fits: true });
      expect({ file, clean: !/[\x00-\x08\x0b-\x1f\x7f]/.test(shown) && isWellFormed(shown) }).toEqual({
        file,
        clean: true,
      });
      expect({ file, recall: whole || shown.includes(`recall {"id":"${archiveId}"`) }).toEqual({ file, recall: true });
    }
  },
);

test('a cursor moved to the right stops at the edge of a wide terminal', () => {
  const clipped = '[shortened; the whole: recall {"id":"0123456789ab"} with "pattern" or "offset"]';
  const wide = (text: string) => admit({ ...shell, body: { kind: 'text', text } }).shown;
  check('ab\x1b[3Cc', 'ab   c');
  expect(wide('ab\x1b[999C\x1b[999Cc')).toBe(`ab${' '.repeat(998)}c`);
  expect(wide('ab\x1b[999G\x1b[999Cc')).toBe(`ab${' '.repeat(998)}c`);
  expect(wide(`${'x'.repeat(1_200)}\x1b[5Cc`)).toBe(`${'x'.repeat(1_200)}c`);
  expect(show('ab\x1b[999C\x1b[999Cc').shown.endsWith(clipped)).toBe(true);
});

test('a screen that is cleared again and again is followed to a bound, and its last page is shown', () => {
  const pages = Array.from({ length: 30_000 }, (_, i) => `page ${i}`).join('\x1b[2J');
  const shown = show(pages).shown.split('\n');
  expect(shown.slice(0, 3)).toEqual(['page 0', '[19,998 lines like these two left out]', 'page 29999']);
});
