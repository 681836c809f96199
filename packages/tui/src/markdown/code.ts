/**
 * Colours code by highlight.js, which is loaded when the first block of code is shown. Until then, and for languages that
 * it does not know, code is plain. Invariant: the lines say what the code says, character for character.
 */
import type { HLJSApi } from 'highlight.js';
import { type Line, plain, type Span, type Style, span } from '../text/style.ts';
import { codeTheme } from '../text/theme.ts';

let library: HLJSApi | undefined;
let loading: Promise<void> | undefined;

/** Settles when code can be coloured. */
export function loadColours(): Promise<void> {
  loading ??= import('highlight.js/lib/common').then((module) => {
    library = module.default;
  });
  return loading;
}

export function coloursLoaded(): boolean {
  return library !== undefined;
}

/** Longer code is not worth the time that it takes. */
const mostCharacters = 20_000;

/** `code` has passed `sanitise`. */
export function codeLines(code: string, language: string | undefined): readonly Line[] {
  const known = language !== undefined && library?.getLanguage(language) !== undefined;
  if (library === undefined || !known || code.length > mostCharacters) return plainLines(code);
  return linesOf(library.highlight(code, { language, ignoreIllegals: true }).value);
}

function plainLines(code: string): readonly Line[] {
  return code.split('\n').map((text) => [span(text)]);
}

/** highlight.js writes spans with a class and five entities, nothing else. */
function linesOf(html: string): readonly Line[] {
  const styles: Style[] = [plain];
  const lines: Span[][] = [[]];
  for (const [, opened, closed, text = ''] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (opened !== undefined) styles.push({ ...styles.at(-1), ...styleOf(opened) });
    else if (closed !== undefined) styles.pop();
    else addText(lines, unescaped(text), styles.at(-1) ?? plain);
  }
  return lines;
}

function addText(lines: Span[][], text: string, style: Style): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) lines.push([]);
    if (part !== '') lines.at(-1)?.push(span(part, style));
  }
}

function styleOf(classes: string): Style {
  const names = classes.split(' ').map((name) => name.replace(/^hljs-/, '').replace(/_$/, ''));
  return names.map((name) => codeTheme[name]).find((style) => style !== undefined) ?? plain;
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
}
