/** The product's estimate of tokens against a real tokenizer, which only the simulator has. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { estimateTokens } from '@zerd/core/text/estimate-tokens';
import { loadTokenizer } from '../../src/weigh/tokens.ts';

const root = new URL('../../../../', import.meta.url);
const fileOf = (path: string) => readFileSync(new URL(path, root), 'utf8').slice(0, 40_000);

/** How far each may be off, in percent. */
const texts: readonly (readonly [name: string, text: string, most: number])[] = [
  ['prose', fileOf('ARCHITECTURE.md'), 10],
  ['code', fileOf('packages/core/src/session/fold.ts'), 12],
  ['JSON', fileOf('protocol/schema/openrpc.json'), 20],
  ['hashes', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n'.repeat(20), 25],
  ['base64', 'SGVsbG8gV29ybGQhIFRoaXMgaXMgYSB0ZXN0IG9mIGJhc2U2NCBlbmNvZGluZyBhbmQgaXRzIHRva2Vucw==\n'.repeat(9), 25],
  ['a table of times', '2026-11-30 02:14:09.331  192.168.0.17  4411  ok\n'.repeat(30), 15],
  ['German', 'Die Änderung gehört an die Stelle, an der die Größe berechnet wird; prüfe es später noch einmal.\n', 25],
  ['Russian', 'Программа работает медленно, потому что каждый запрос читает файл целиком заново.\n', 25],
  ['Chinese', '这个函数读取文件并返回其中的行数。如果文件不存在，则返回零。请检查缓存是否有效。\n', 25],
  ['Japanese', 'この関数はファイルを読み込み、行数を返します。ファイルが存在しない場合はゼロを返します。\n', 25],
  ['lines that are drawn', `${'-'.repeat(72)}\n${'='.repeat(60)}\n`.repeat(20), 60],
];

test.each(texts)('an estimate of %s is near what o200k counts', async (_name, text, most) => {
  const { count } = await loadTokenizer();
  const off = 100 * (estimateTokens(text) / count(text).tokens.length - 1);
  expect(Math.abs(off)).toBeLessThan(most);
});

test('nothing takes no tokens, and a long run of anything is estimated too', () => {
  expect(estimateTokens('')).toBe(0);
  for (const one of [' ', '\n', 'a', 'A', '1', '-', 'é', '字', '🎉', '\u0301'])
    expect(estimateTokens(one.repeat(300_000))).toBeGreaterThan(0);
});
