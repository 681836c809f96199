import { expect, test } from '@jest/globals';
import { type KeySituation, keyMeaning } from '../src/app/key-meaning.ts';
import { key } from './keys.ts';

const idle: KeySituation = { text: '', works: false, waits: false, escaped: false };

const meaning = (name: string, situation: Partial<KeySituation>) => keyMeaning(key(name), { ...idle, ...situation });

test.each<[string, Partial<KeySituation>, string]>([
  ['enter', { text: 'go' }, 'send'],
  ['enter', { text: 'go', works: true }, 'send'],
  ['enter', { text: 'go\\' }, 'newLineForBackslash'],
  ['S-enter', { text: 'go\\' }, 'newLine'],
  ['M-enter', {}, 'newLine'],
  ['tab', {}, 'other'],
  ['tab', { works: true }, 'queue'],
  ['S-tab', { works: true }, 'nextMode'],
  ['escape', { text: 'go' }, 'interrupt'],
  ['escape', {}, 'interrupt'],
  ['escape', { escaped: true }, 'goBack'],
  ['escape', { escaped: true, text: 'go' }, 'interrupt'],
  ['escape', { escaped: true, works: true }, 'interrupt'],
  ['up', {}, 'other'],
  ['up', { waits: true }, 'takeBack'],
  ['up', { waits: true, text: 'go' }, 'other'],
  ['S-up', { waits: true }, 'other'],
  ['C-g', { text: 'go' }, 'editor'],
  ['g', {}, 'other'],
  ['C-c', { text: 'go' }, 'empty'],
  ['C-c', {}, 'stop'],
  ['C-d', {}, 'leave'],
  ['C-d', { text: 'go' }, 'other'],
  ['c', {}, 'other'],
])('%s with %j means %s', (name, situation, expected) => {
  expect(meaning(name, situation)).toBe(expected);
});
