/** What is printed about the methods of the protocol: all that a client may call, and one of them whole. No daemon is asked. */
import type { Topics } from '../command.ts';
import { wrap } from '../present/wrap.ts';
import { type MethodWords, methodReference } from './method-reference.ts';

const callable = Object.entries(methodReference).filter(([, { direction }]) => direction === 'toDaemon');
const column = Math.max(...callable.map(([name]) => name.length)) + 2;

export const methodTopics: Topics = {
  noun: 'method',
  words: Object.fromEntries(callable.map(([name, { says }]) => [name, says])),
  help(name) {
    const row = Object.hasOwn(methodReference, name) ? methodReference[name] : undefined;
    return row === undefined ? undefined : methodHelp(name, row);
  },
};

/** A line each, so that it can be searched. */
export function methodLines(): string {
  return callable.map(([name, { says }]) => `${name.padEnd(column)}${says}\n`).join('');
}

/** For the end of the command's help. */
export function methodOverview(): string {
  const rows = callable.map(([name, { says }]) => `  ${name.padEnd(column)}${wrap(says, 96 - column, column + 2)}`);
  return ['Methods; `zerd rpc METHOD --help` explains one:', ...rows].join('\n');
}

function methodHelp(name: string, { says, params, result, example }: MethodWords): string {
  const head =
    result === undefined ? `${name}: sent by the daemon` : `zerd rpc ${name}${hasFields(params) ? ' [params]' : ''}`;
  const parts = [
    head,
    wrap(says, 98, 0),
    section('Parameters', params),
    ...(result === undefined ? [] : [section('Result', result)]),
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
