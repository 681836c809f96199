/**
 * Writes a row as a terminal takes it: SGR codes of the 256-colour palette and text. Invariant: a row leaves no style
 * behind. Without colours (https://no-color.org) what stands out does so by weight alone.
 */
import { clusters } from '../text/clusters.ts';
import type { Line, Style } from '../text/style.ts';

export function encodeRow(line: Line, colours: boolean): string {
  let out = '';
  let before = '';
  for (const { text, style } of line) {
    if (text === '') continue;
    const codes = codesOf(style, colours);
    if (codes !== before) out += `\x1b[0${codes}m`;
    before = codes;
    out += drawn(text);
  }
  return before === '' ? out : `${out}\x1b[0m`;
}

function codesOf({ fg, bg, bold, dim, italic, underline, inverse }: Style, colours: boolean): string {
  const codes = [
    ...(bold ? ['1'] : []),
    ...(dim ? ['2'] : []),
    ...(italic ? ['3'] : []),
    ...(underline ? ['4'] : []),
    ...(inverse ? ['7'] : []),
    ...(colours && fg !== undefined ? [`38;5;${fg}`] : []),
    ...(colours && bg !== undefined ? [`48;5;${bg}`] : []),
  ];
  return codes.map((code) => `;${code}`).join('');
}

const ascii = /^[\x20-\x7e]*$/;

function drawn(text: string): string {
  if (ascii.test(text)) return text;
  let out = '';
  for (const cluster of clusters(text)) out += cluster.text;
  return out;
}
