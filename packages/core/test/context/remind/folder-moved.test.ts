import { expect, test } from '@jest/globals';
import { folderInFacts, folderLine, folderMoved, withFolder } from '@zerd/core/context/remind/folder-moved';
import type { TurnId } from '@zerd/protocol/common/ids';

const facts = `${folderLine('/old/place')}\nDate: 2026-11-30\nPlatform: linux`;

test('the folder that the facts of the moment name can be read from them, and replaced in them', () => {
  expect(folderInFacts(facts)).toBe('/old/place');
  expect(folderInFacts('Date: 2026-11-30')).toBeUndefined();
  expect(withFolder(facts, undefined)).toBe(facts);
  expect(withFolder(facts, '/$& new')).toBe('Working folder: /$& new\nDate: 2026-11-30\nPlatform: linux');
});

test('what is told once, and where the folder is the same, is not told', () => {
  const tell = (toldFolder: string | undefined) => folderMoved({ toldFolder }, '/new', 'turn_1' as TurnId)?.text;
  expect(tell('/new')).toBeUndefined();
  expect(tell(undefined)).toBeUndefined();
  expect(tell('/old')).toBe(
    'The working folder was moved: it is /new now. Paths that begin with /old are not there any more.',
  );
});
