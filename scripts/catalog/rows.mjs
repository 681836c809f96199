/** The price rows of the catalogue as data: read out of their file, compared with what was found, merged, written. */
import { runInNewContext } from 'node:vm';

const mostTimes = 3;

/** Flat rows: provider, id, window, maxOutput, usd, above?, from?, asOf, source. */
export function readRows(text) {
  const list = text.slice(text.indexOf('= [') + 2, text.lastIndexOf('];') + 1);
  const lists = JSON.parse(JSON.stringify(runInNewContext(`(${list})`)));
  return lists.flatMap(({ provider, asOf, source, rows }) => rows.map((row) => ({ provider, asOf, source, ...row })));
}

/** What would change, each with a line for people and whether it is too much to be believed. */
export function compareRows(known, found) {
  const missing = current(known).filter((row) => !found.some((one) => isSame(one, row)));
  return [
    ...missing.map((row) => ({ name: nameOf(row), says: `? ${nameOf(row)}: not found, left as it is`, absurd: false })),
    ...found.flatMap((row) => compareOne(newestOf(known, row), row)),
  ];
}

/** Known rows stay, as what held before; a change is a row of its own from the day on. */
export function mergeRows(known, found, { asOf, source }) {
  const rows = known.map((row) => (isUnchanged(known, found, row) ? { ...row, asOf, source } : row));
  for (const row of found) {
    const before = newestOf(known, row);
    if (before !== undefined && describe(before) === describe(row)) continue;
    rows.push({ ...row, asOf, source, ...(before === undefined ? {} : { from: asOf }) });
  }
  return rows;
}

export function rowsText(rows) {
  const lists = [];
  for (const row of rows) {
    const list = lists.find((one) => ['provider', 'asOf', 'source'].every((key) => one[key] === row[key]));
    if (list === undefined) lists.push({ ...row, rows: [row] });
    else list.rows.push(row);
  }
  return `${head}export const priceLists: readonly PriceList[] = [\n${lists.map(listText).join('')}];\n`;
}

const head = `/** Prices as lists of their day: written by scripts/refresh-catalog.mjs, and by hand where a row says from when it held. */
import type { PriceList } from './price-list.ts';

`;

function listText({ provider, asOf, source, rows }) {
  return `  {\n    provider: '${provider}',\n    asOf: '${asOf}',\n    source: '${source}',\n    rows: [\n${rows.map(rowText).join('')}    ],\n  },\n`;
}

function rowText({ id, window, maxOutput, usd, above, from }) {
  const fields = [
    `id: '${id}'`,
    `window: ${grouped(window)}`,
    `maxOutput: ${grouped(maxOutput)}`,
    `usd: [${usd.map(grouped).join(', ')}]`,
    ...(above === undefined ? [] : [`above: [${above.map(grouped).join(', ')}]`]),
    ...(from === undefined ? [] : [`from: '${from}'`]),
  ];
  const line = `      { ${fields.join(', ')} },\n`;
  return line.length <= 121 ? line : `      {\n${fields.map((field) => `        ${field},\n`).join('')}      },\n`;
}

function grouped(number) {
  return Number.isInteger(number) && number >= 10_000
    ? number.toLocaleString('en-US').replaceAll(',', '_')
    : `${number}`;
}

function compareOne(before, row) {
  const name = nameOf(row);
  const absurd = isAbsurd(before, row);
  if (before === undefined) return [{ name, says: `+ ${name}: ${describe(row)}`, absurd }];
  if (describe(before) === describe(row)) return [];
  return [{ name, says: `~ ${name}: ${describe(before)} -> ${describe(row)}`, absurd }];
}

/** A price that is nothing, or dearer to read than to send, or far from what it was. */
function isAbsurd(before, { usd, above, window }) {
  const [input, , cacheRead] = usd;
  const figures = [...usd, ...(above ?? []), window];
  if (figures.some((figure) => !Number.isFinite(figure) || figure <= 0) || cacheRead > input) return true;
  if (before === undefined) return false;
  const isFar = (a, b) => a / b > mostTimes || b / a > mostTimes;
  const tiers =
    above !== undefined && before.above !== undefined && above.some((one, i) => isFar(one, before.above[i]));
  return tiers || isFar(window, before.window) || usd.some((one, i) => isFar(one, before.usd[i]));
}

function describe({ usd, above, window, maxOutput }) {
  const tier = above === undefined ? '' : `; above ${above[0]}: ${above.slice(1).join('/')}`;
  return `${usd.join('/')}${tier}; window ${window}, output ${maxOutput}`;
}

function isUnchanged(known, found, row) {
  if (newestOf(known, row) !== row) return false;
  return found.some((one) => isSame(one, row) && describe(one) === describe(row));
}

function current(rows) {
  return rows.filter((row) => newestOf(rows, row) === row);
}

function newestOf(rows, of) {
  const all = rows.filter((row) => isSame(row, of));
  return all.reduce((newest, row) => ((row.from ?? '') >= (newest?.from ?? '') ? row : newest), undefined);
}

function isSame(a, b) {
  return a.provider === b.provider && a.id === b.id;
}

function nameOf({ provider, id }) {
  return `${provider}/${id}`;
}
