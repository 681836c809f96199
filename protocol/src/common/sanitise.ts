/**
 * Makes untrusted text safe to draw: whatever could steer a terminal or hide from the reader becomes visible as an
 * escape. Invariant: the result holds no C0 but newline and tab, no DEL or C1, no bidi control, no tag character and no
 * lone surrogate; letters, emoji (with their joiners) and flags stay as they are.
 */

/** Several lines of text; newlines and tabs stay. */
export function sanitise(text: string): string {
  return escapeWhere(text, dangerous);
}

/**
 * What a command writes, as it is to be read: without what colours it or moves the cursor, of a line that is written over
 * again and again only the newest, and safe to draw.
 */
export function sanitiseOutput(text: string): string {
  return sanitise(text.replace(sequences, '').split('\n').map(newest).join('\n'));
}

/** Of what was written over each other in one line. */
function newest(line: string): string {
  const ended = line.replace(/\r+$/, '');
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

// Of ECMA-48: control sequences, operating system commands, and what selects a set of characters.
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][0-9A-Za-z])/g;

/** Text that must stay on its line: newlines and tabs are escaped too. */
export function sanitiseLine(text: string): string {
  return escapeWhere(text, dangerousInLine);
}

/** Text that a model is to read: what steers a terminal or hides from a reader is not in it; newlines and tabs stay. */
export function withoutHidden(text: string): string {
  return text.replace(dangerous, (found) => (found.startsWith('\u{1f3f4}') ? found : ''));
}

/** JSON that is safe to draw and means the same: what JSON.stringify leaves bare is written as \uXXXX. */
export function safeJson(value: unknown, indent?: number): string {
  const escaped = (hidden: string) => hidden.replace(/[\s\S]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
  return JSON.stringify(value, null, indent).replace(hiddenInJson, escaped);
}

// Zero width (not the joiners that scripts and emoji need), marks and overrides of direction, line separators,
// annotation marks, and the plane of tags and supplementary variation selectors.
const hidden =
  '\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}';
const surrogates = '\\ud800-\\udfff';
// The three flags that are spelled with tags (England, Scotland, Wales); any other run of tags could carry a message.
const tag = (letters: string) =>
  [...letters].map((letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join('');
const flag = `\\u{1f3f4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tag).join('|')})\\u{e007f}`;

const dangerous = new RegExp(`${flag}|[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f${hidden}${surrogates}]`, 'gu');
const dangerousInLine = new RegExp(`${flag}|[\\0-\\x1f\\x7f-\\x9f${hidden}${surrogates}]`, 'gu');
const hiddenInJson = new RegExp(`[\\x7f-\\x9f${hidden}]`, 'gu');

function escapeWhere(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => (found.startsWith('\u{1f3f4}') ? found : escapeOf(found)));
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return short[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u{${code.toString(16)}}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
