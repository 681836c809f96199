/** Writes what an emulator shows as SVG: text as text, one element for each run of one style. Pure. */

const cell = { width: 8.4, height: 18 };
const margin = 12;
const ground = '#15171c';
const ink = '#d5d8de';

/** `title`: said where the picture cannot be seen. */
export function svgOf(emulator, title) {
  const { cols, rows, buffer } = emulator;
  const width = cols * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  const body = Array.from({ length: rows }, (_, row) => rowOf(buffer.active.getLine(row), row, cols)).join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `,
    `font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">\n<title>${escaped(title)}</title>\n`,
    `<rect width="100%" height="100%" rx="8" fill="${ground}"/>\n`,
    body,
    '</svg>\n',
  ].join('');
}

function rowOf(line, row, cols) {
  return runsOf(line, cols)
    .map((run) => drawn(run, row))
    .join('');
}

/** Neighbouring cells of one style, as one. */
function runsOf(line, cols) {
  const runs = [];
  for (let column = 0; column < cols; column++) {
    const one = line?.getCell(column);
    if (one === undefined || one.getWidth() === 0) continue;
    const style = styleOf(one);
    const last = runs.at(-1);
    const text = one.getChars() || ' ';
    if (last !== undefined && last.key === style.key && last.column + last.columns === column) {
      last.text += text;
      last.columns += one.getWidth();
    } else runs.push({ ...style, text, column, columns: one.getWidth() });
  }
  return runs;
}

function styleOf(one) {
  const inverse = one.isInverse() !== 0;
  const fg = one.isFgDefault() ? undefined : colourOf(one.getFgColor());
  const bg = one.isBgDefault() ? undefined : colourOf(one.getBgColor());
  const style = {
    fill: inverse ? (bg ?? ground) : fg,
    back: inverse ? (fg ?? ink) : bg,
    bold: one.isBold() !== 0,
    dim: one.isDim() !== 0,
    italic: one.isItalic() !== 0,
    underline: one.isUnderline() !== 0,
  };
  return { ...style, key: JSON.stringify(style) };
}

function drawn(run, row) {
  const x = round(margin + run.column * cell.width);
  const y = margin + row * cell.height;
  const wide = round(run.columns * cell.width);
  const back = run.back && `<rect x="${x}" y="${y}" width="${wide}" height="${cell.height}" fill="${run.back}"/>\n`;
  const text = run.text.trimEnd();
  if (text.trim() === '') return back ?? '';
  const blank = text.length - text.trimStart().length;
  const columns = run.columns - (run.text.length - text.length) - blank;
  const attributes = [
    `x="${round(x + blank * cell.width)}" y="${y + 13}" textLength="${round(columns * cell.width)}"`,
    `fill="${run.fill ?? ink}"`,
    ...(run.bold ? ['font-weight="bold"'] : []),
    ...(run.dim ? ['opacity="0.6"'] : []),
    ...(run.italic ? ['font-style="italic"'] : []),
    ...(run.underline ? ['text-decoration="underline"'] : []),
  ];
  return `${back ?? ''}<text xml:space="preserve" ${attributes.join(' ')}>${escaped(text.trimStart())}</text>\n`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const first16 =
  '#000000 #cd3131 #0dbc79 #e5e510 #2472c8 #bc3fbc #11a8cd #e5e5e5 #666666 #f14c4c #23d18b #f5f543 #3b8eea #d670d6 #29b8db #ffffff'.split(
    ' ',
  );

/** Of the palette of 256: sixteen named ones, a cube of six steps, a row of greys. */
function colourOf(index) {
  if (index < 16) return first16[index];
  if (index > 231) return hex(8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232));
  const level = (step) => (step === 0 ? 0 : 55 + 40 * step);
  const at = index - 16;
  return hex(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

function hex(...parts) {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
