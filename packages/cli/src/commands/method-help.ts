/** What is printed about the methods of the protocol: all that a client may call, and one of them whole. No daemon is asked. */
import type { Topics } from '../command.ts';
import { wrap } from '../present/wrap.ts';
import { type MethodWords, methodReference } from './method-reference.ts';

const callable = Object.entries(methodReference).filter(([, { direction }]) => direction === 'toDaemon');
const column = Math.max(...callable.map(([name]) => name.length)) + 2;

export const methodTopics: Topics = {
  noun: 'method',
  words: Object.fromEntries(callable.map(([name, { says }]) => [name, says])),
  help(name, columns) {
    const row = Object.hasOwn(methodReference, name) ? methodReference[name] : undefined;
    return row === undefined ? undefined : methodHelp(name, row, columns);
  },
};

/** A line each, so that it can be searched. */
export function methodLines(): string {
  return callable.map(([name, { says }]) => `${name.padEnd(column)}${says}\n`).join('');
}

/** For the end of the command's help. */
export function methodOverview(columns: number): string {
  const rows = callable.map(
    ([name, { says }]) => `  ${name.padEnd(column)}${wrap(says, columns - column - 2, column + 2)}`,
  );
  return ['Methods; `zerd rpc METHOD --help` explains one:', ...rows].join('\n');
}

function methodHelp(name: string, { says, params, result, example }: MethodWords, columns: number): string {
  const head =
    result === undefined ? `${name}: sent by the daemon` : `zerd rpc ${name}${hasFields(params) ? ' [params]' : ''}`;
  const parts = [
    head,
    wrap(says, columns, 0),
    section('Parameters', inColumns(params, columns - 2)),
    ...(result === undefined ? [] : [section('Result', inColumns(result, columns - 2))]),
    ...(example === undefined ? [] : [section('Example', example)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function hasFields(params: string): boolean {
  return params !== 'none';
}

function section(title: string, text: string): string {
  return `${title}:\n${text.replace(/^/gm, '  ')}`;
}

/** The words of each field, behind its name, broken anew for this width. */
function inColumns(text: string, columns: number): string {
  const rows: { readonly name: string; words: string }[] = [];
  for (const line of text.split('\n')) {
    const last = rows.at(-1);
    const [, name, words] = /^( *\S+ {2,})(\S.*)$/.exec(line) ?? [];
    const indent = line.length - line.trimStart().length;
    if (last !== undefined && last.name !== '' && indent === last.name.length) last.words += ` ${line.trim()}`;
    else rows.push({ name: name ?? '', words: words ?? line });
  }
  return rows.map(({ name, words }) => `${name}${name === '' ? words : besideName(name, words, columns)}`).join('\n');
}

function besideName(name: string, words: string, columns: number): string {
  return wrap(words, Math.max(columns - name.length, 20), name.length);
}
