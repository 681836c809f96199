/**
 * Writes a Jupyter notebook as a reader would see it: its cells with their source, and of each output its first text or
 * its kind and size; images are named, never shown (P130). Invariant: every line of every cell's source is there.
 */
import { formatCount } from '../context/admit/format-count.ts';
import { clipUtf8, utf8Length } from '../text/utf8.ts';

export interface CellsText {
  readonly text: string;
  readonly cells: number;
}

/** Undefined: not a notebook of version 4, or not JSON. */
export function cellsText(json: string): CellsText | undefined {
  const cells = cellsOf(json);
  if (cells === undefined) return undefined;
  return {
    text: cells
      .flatMap((cell, i) => cellLines(cell, i + 1))
      .join('\n')
      .concat('\n'),
    cells: cells.length,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function cellsOf(json: string): readonly Fields[] | undefined {
  try {
    const notebook = fieldsOf(JSON.parse(json));
    return Array.isArray(notebook.cells) && notebook.nbformat === 4 ? notebook.cells.map(fieldsOf) : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function cellLines(cell: Fields, number: number): readonly string[] {
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.map(fieldsOf) : [];
  return [`--- cell ${number}: ${String(cell.cell_type)}`, ...sourceLines(cell), ...outputs.map(outputLine)];
}

function sourceLines(cell: Fields): readonly string[] {
  const source = textOf(cell.source).replace(/\n$/, '');
  return source === '' ? [] : source.split('\n');
}

/** nbformat keeps a text as one string or as its lines. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : '';
}

/** How much of a textual output is a hint of what it is. */
const excerptBytes = 120;

function outputLine(output: Fields): string {
  if (output.output_type === 'error') return `[output: ${String(output.ename)}: ${excerpt(String(output.evalue))}]`;
  if (output.output_type === 'stream') return textual(String(output.name ?? 'stream'), textOf(output.text));
  const data = Object.entries(fieldsOf(output.data));
  const image = data.find(([type]) => type.startsWith('image/'));
  if (image !== undefined) return `[output: ${image[0]}, ${sizeOf(image[1])}]`;
  const plain = data.find(([type]) => type === 'text/plain');
  if (plain !== undefined) return textual('text', textOf(plain[1]));
  return `[output: ${data.map(([type, value]) => `${type}, ${sizeOf(value)}`).join('; ') || 'empty'}]`;
}

function textual(name: string, text: string): string {
  return `[output: ${name}, ${formatCount(utf8Length(text))} bytes: ${excerpt(text)}]`;
}

function excerpt(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const shown = clipUtf8(first, excerptBytes);
  return shown === text.trim() ? shown : `${shown} ...`;
}

/** A base64 image weighs three quarters of its text. */
function sizeOf(value: unknown): string {
  const text = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : textOf(value);
  const encoded = /^[A-Za-z0-9+/=\s]+$/.test(text) && text.length > 80;
  return `${formatCount(encoded ? Math.floor((text.replace(/\s/g, '').length * 3) / 4) : utf8Length(text))} bytes`;
}
