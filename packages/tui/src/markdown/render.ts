/**
 * Lays Markdown out as rows of a width: headings, lists, quotes, tables, code. The lexer is marked's; nothing of HTML is
 * interpreted. Invariant: no row is wider than asked, and everything that is said is shown.
 */
import { lexer, type Token, type Tokens } from 'marked';
import { columnsOf } from '../text/clusters.ts';
import { type Line, plain, type Span, type Style, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit, lineColumns, wrap } from '../text/wrap.ts';
import { codeLines } from './code.ts';

/** `text` has passed `sanitise`. */
export function renderMarkdown(text: string, columns: number): readonly Line[] {
  const spaced = text.replaceAll('\t', '    ');
  try {
    return blocks(lexer(spaced, { gfm: true }), columns);
  } catch (error) {
    // Nested so deeply that the lexer's stack ends: it is shown as it was written.
    if (error instanceof RangeError) return asWritten(spaced, columns);
    throw error;
  }
}

/** With less room, what would be drawn around a text is shown as it was written. */
const leastColumns = 8;

function asWritten(text: string, columns: number): readonly Line[] {
  return broken([span(text.trimEnd())]).flatMap((line) => wrap(line, { columns }));
}

/** `tight`: without empty rows between, as in a list that was written so. */
function blocks(tokens: readonly Token[], columns: number, tight = false): readonly Line[] {
  const lines: Line[] = [];
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'def' || token.type === 'checkbox') continue;
    const rows = block(token, columns);
    if (rows.length === 0) continue;
    if (lines.length > 0 && !tight && token.type !== 'text') lines.push([]);
    lines.push(...rows);
  }
  return lines;
}

function block(token: Token, columns: number): readonly Line[] {
  if (columns < leastColumns && framed.has(token.type)) return asWritten(token.raw, columns);
  switch (token.type) {
    case 'heading':
      return wrap(inline(token.tokens ?? [], theme.heading), { columns });
    case 'code':
      return code(token as Tokens.Code, columns);
    case 'blockquote':
      return quoted(blocks(token.tokens ?? [], columns - 2));
    case 'list':
      return list(token as Tokens.List, columns);
    case 'table':
      return table(token as Tokens.Table, columns) ?? asWritten(token.raw, columns);
    case 'hr':
      return [[span('─'.repeat(Math.max(1, Math.min(columns, 40))), theme.dim)]];
    default:
      return paragraph(token, columns);
  }
}

const framed = new Set(['code', 'blockquote', 'list', 'table']);

function paragraph(token: Token, columns: number): readonly Line[] {
  const spans = 'tokens' in token && token.tokens !== undefined ? inline(token.tokens) : [span(token.raw.trimEnd())];
  return broken(spans).flatMap((line) => wrap(line, { columns }));
}

function code({ text, lang }: Tokens.Code, columns: number): readonly Line[] {
  const language = lang?.trim().split(/\s+/)[0];
  const name = language === undefined || language === '' ? undefined : language;
  const width = Math.max(1, columns - 2);
  const rows = codeLines(text.replaceAll('\t', '    '), name).flatMap((line) =>
    wrap(line, { columns: width, anywhere: true }),
  );
  return rows.map((row) => [span('  '), ...row]);
}

function quoted(rows: readonly Line[]): readonly Line[] {
  return rows.map((row) => [
    span('│ ', theme.dim),
    ...row.map(({ text, style }) => span(text, { ...theme.quote, ...style })),
  ]);
}

function list({ items, ordered, start, loose }: Tokens.List, columns: number): readonly Line[] {
  return items.flatMap((item, index) => {
    const mark = item.task ? (item.checked ? '[x] ' : '[ ] ') : ordered ? `${Number(start || 1) + index}. ` : '• ';
    const width = columnsOf(mark);
    const rows = blocks(item.tokens, Math.max(1, columns - width), !loose);
    const first: Line = [span(mark, theme.accent), ...(rows[0] ?? [])];
    return [first, ...rows.slice(1).map((row): Line => (row.length === 0 ? [] : [span(' '.repeat(width)), ...row]))];
  });
}

/** Undefined: it has too many columns for the width. */
function table({ header, rows, align }: Tokens.Table, columns: number): readonly Line[] | undefined {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens)));
  const count = header.length;
  const wanted = Array.from({ length: count }, (_, at) =>
    Math.max(1, ...cells.map((row) => lineColumns(row[at] ?? []))),
  );
  const widths = shares(wanted, columns - 3 * (count - 1));
  if (widths === undefined) return undefined;
  const drawn = cells.map((row) => tableRow(row, widths, align));
  const rule: Line = [span(widths.map((width) => '─'.repeat(width)).join('─┼─'), theme.dim)];
  const [head = [], ...body] = drawn;
  return [
    ...head.map((row) => row.map(({ text, style }) => span(text, { ...style, bold: true }))),
    rule,
    ...body.flat(),
  ];
}

/** Every column gets what it wants, or the widest give way: all that are wider than a share that is found by halving. */
function shares(wanted: readonly number[], columns: number): readonly number[] | undefined {
  const at = (most: number) => wanted.map((width) => Math.min(width, most));
  const fits = (most: number) => at(most).reduce((sum, width) => sum + width, 0) <= columns;
  let least = 3;
  if (!fits(least)) return undefined;
  let most = Math.max(least, ...wanted);
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  const widths = at(least);
  let left = columns - widths.reduce((sum, width) => sum + width, 0);
  return widths.map((width, index) => (left > 0 && (wanted[index] ?? 0) > width && left-- > 0 ? width + 1 : width));
}

function tableRow(row: readonly Line[], widths: readonly number[], align: readonly Align[]): readonly Line[] {
  const wrapped = widths.map((width, at) => wrap(row[at] ?? [], { columns: width, anywhere: false }));
  const height = Math.max(1, ...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, line) =>
    widths.flatMap((width, at) => {
      const cell = fit(placed(wrapped[at]?.[line] ?? [], width, align[at] ?? null), width);
      return at === 0 ? cell : [span(' │ ', theme.dim), ...cell];
    }),
  );
}

type Align = Tokens.Table['align'][number];

/** What is left of the width stands before it, behind it, or on both sides. */
function placed(cell: Line, width: number, align: Align): Line {
  const free = width - lineColumns(cell);
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return before > 0 ? [span(' '.repeat(before)), ...cell] : cell;
}

function inline(tokens: readonly Token[], style: Style = plain): Span[] {
  return tokens.flatMap((token) => inlineOf(token, style));
}

function inlineOf(token: Token, style: Style): Span[] {
  const inner = (more: Style) => ('tokens' in token && token.tokens ? inline(token.tokens, { ...style, ...more }) : []);
  switch (token.type) {
    case 'strong':
      return inner({ bold: true });
    case 'em':
      return inner({ italic: true });
    case 'del':
      return inner({ dim: true });
    case 'codespan':
      return [span(token.text, { ...style, ...theme.code })];
    case 'checkbox':
      return [];
    case 'br':
      return [span('\n', style)];
    case 'link':
      return link(token as Tokens.Link, inner(theme.link), style);
    case 'image':
      return [span(`[image: ${token.text || token.href}]`, { ...style, ...theme.dim })];
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inline(token.tokens, style) : [span(token.text, style)];
    default:
      return [span(token.raw, style)];
  }
}

/** Where a link leads is shown beside what it says: what is drawn must not hide it. */
function link({ href, text }: Tokens.Link, said: Span[], style: Style): Span[] {
  return href === text || href === `mailto:${text}` ? said : [...said, span(` (${href})`, { ...style, ...theme.dim })];
}

/** One line for each break. */
function broken(spans: readonly Span[]): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of spans) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push(span(part, style));
    }
  }
  return lines;
}
