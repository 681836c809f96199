import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { rgPath } from '@vscode/ripgrep';
import { planSearch } from '@zerd/core/search/plan-search';
import { hasDoubtful } from '@zerd/core/search/unicode-tables';

/** Every character but surrogates and the newline. */
const chars = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code > 0 && code !== 10 && (code < 0xd800 || code > 0xdfff))
  .map((code) => String.fromCodePoint(code));

test.each(['<\\w>', '<\\d>', '<\\s>', '(?i)<k>|<s>|<\u00e9>|<\u03c3>'])(
  'of every character that is not doubtful, Node and ripgrep think the same: %s',
  (pattern) => {
    const folder = mkdtempSync(join(tmpdir(), 'unicode-'));
    try {
      writeFileSync(join(folder, 'all.txt'), chars.map((char) => `<${char}>\n`).join(''));
      const args = ['--no-config', '-a', '-n', '-o', '-e', pattern, 'all.txt'];
      const printed = execFileSync(rgPath, args, { cwd: folder, maxBuffer: 1e9 }).toString('latin1').split('\n');
      const ripgrep = new Set(printed.filter(Boolean).map((line) => chars[Number.parseInt(line, 10) - 1]));
      const { source, flags } = planSearch({ pattern })?.matcher?.unicode ?? { source: 'none', flags: '' };
      const regex = new RegExp(source, flags.replace('g', ''));
      const differ = chars.filter((char) => regex.test(`<${char}>`) !== ripgrep.has(char) && !hasDoubtful(char));
      expect(differ.map((char) => char.codePointAt(0)?.toString(16))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  // A million characters: on a machine that is shared that takes what it takes.
  300_000,
);

test('what came with a later Unicode, or with none, is doubtful; all usual text is not', () => {
  expect(['\u{16ea0}', '\u{378}', 'a\u{323b0}b'].filter(hasDoubtful)).toHaveLength(3);
  expect(
    ['plain', 'caf\u00e9', '\u4e2d\u6587', '\ud55c\uae00', '\u{1f600}', '\u0635\u062d'].filter(hasDoubtful),
  ).toEqual([]);
});
