/**
 * Says of which characters ripgrep and Node may think differently. Ripgrep 15.0.0 has the tables of Unicode 16.0
 * (asked of it, 2026-11-30); of Node's newer ones only what came later differs, and all that is not assigned may be known
 * to one of them some day.
 */

/** What came with Unicode 17.0, as source of a class under the flag `u`. */
const later =
  '\\u{88f}\\u{c5c}\\u{cdc}\\u{1acf}-\\u{1add}\\u{1ae0}-\\u{1aeb}\\u{20c1}\\u{2b96}\\u{a7ce}-\\u{a7cf}\\u{a7d2}\\u{a7d4}' +
  '\\u{a7f1}\\u{fbc3}-\\u{fbd2}\\u{fd90}-\\u{fd91}\\u{fdc8}-\\u{fdce}\\u{10940}-\\u{10959}\\u{10ec5}-\\u{10ec7}' +
  '\\u{10ed0}-\\u{10ed8}\\u{10efa}-\\u{10efb}\\u{11b60}-\\u{11b67}\\u{11db0}-\\u{11ddb}\\u{11de0}-\\u{11de9}' +
  '\\u{16ea0}-\\u{16eb8}\\u{16ebb}-\\u{16ed3}\\u{16ff2}-\\u{16ff6}\\u{187f8}-\\u{187ff}\\u{18d09}-\\u{18d1e}' +
  '\\u{18d80}-\\u{18df2}\\u{1ccfa}-\\u{1ccfc}\\u{1ceba}-\\u{1ced0}\\u{1cee0}-\\u{1cef0}\\u{1e6c0}-\\u{1e6de}' +
  '\\u{1e6e0}-\\u{1e6f5}\\u{1e6fe}-\\u{1e6ff}\\u{1f6d8}\\u{1f777}-\\u{1f77a}\\u{1f8d0}-\\u{1f8d8}\\u{1fa54}-\\u{1fa57}' +
  '\\u{1fa8a}\\u{1fa8e}\\u{1fac8}\\u{1facd}\\u{1faea}\\u{1faef}\\u{1fbfa}\\u{2b73a}-\\u{2b73f}\\u{2cea2}-\\u{2cead}' +
  '\\u{323b0}-\\u{33479}';
const doubtful = new RegExp(`[\\p{Cn}${later}]`, 'u');

/** All but Latin, Greek, Cyrillic, marks of text, Kana, Han, Hangul: looking for these is much quicker. */
const unusual =
  /[^\0-\u0377\u0400-\u052f\u2010-\u2064\u20a0-\u20c0\u2190-\u21ff\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3]+/g;

export function hasDoubtful(text: string): boolean {
  for (const [run] of text.matchAll(unusual)) if (doubtful.test(run)) return true;
  return false;
}
