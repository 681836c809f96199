/** The keys of a test, as people write them. */
import type { Input, Key } from '../src/screen/port.ts';

/** 'x', 'enter', 'C-a', 'M-enter', 'S-tab'. */
export function key(name: string): Key {
  const [, held = '', plain = ''] = /^((?:[CMS]-)*)(.+)$/.exec(name) ?? [];
  const [ctrl, alt, shift] = ['C-', 'M-', 'S-'].map((one) => held.includes(one)) as [boolean, boolean, boolean];
  const text = [...plain].length === 1 && !ctrl && !alt ? plain : '';
  return { name: plain, text, ctrl, alt, shift };
}

export function pressed(name: string): Input {
  return { kind: 'key', key: key(name) };
}
