/** Which charts there are, and of what layers, from the bottom up. Invariant: a layer has the same colour everywhere. */
import { dollars, thousands } from '../present/cost-line.ts';
import type { PageRequest } from '../present/cost-page-shape.ts';

export interface Layer {
  readonly name: string;
  readonly colour: string;
}

export interface Chart {
  readonly title: string;
  readonly height: number;
  /** From the bottom up. */
  readonly layers: readonly Layer[];
  values(request: PageRequest): readonly number[] | null;
  words(value: number): string;
}

export const charts: readonly Chart[] = [
  {
    title: 'What each request carried, in tokens',
    height: 320,
    layers: [
      { name: 'tools', colour: 'tools' },
      { name: 'system', colour: 'system' },
      { name: 'messages', colour: 'messages' },
      { name: 'results', colour: 'results' },
    ],
    values: ({ carries }) => carries,
    words: thousands,
  },
  {
    title: 'What the cache did with it, in tokens',
    height: 220,
    layers: [
      { name: 'read', colour: 'read' },
      { name: 'written', colour: 'written' },
      { name: 'uncached', colour: 'uncached' },
    ],
    values: ({ cache }) => cache,
    words: thousands,
  },
  {
    title: 'What each request cost',
    height: 220,
    layers: [
      { name: 'read', colour: 'read' },
      { name: 'written', colour: 'written' },
      { name: 'uncached', colour: 'uncached' },
      { name: 'output', colour: 'output' },
      { name: 'as billed', colour: 'billed' },
    ],
    values: ({ money }) => money,
    words: dollars,
  },
];
