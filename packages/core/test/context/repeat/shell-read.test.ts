import { expect, test } from '@jest/globals';
import { parseShellRead, rowsOfShellRead } from '@zerd/core/context/repeat/shell-read';

const text = ['one', '', 'three', 'four', 'five'];

test.each<[string, number, readonly string[]]>([
  ['cat a.ts', 1, text],
  ["cat 'dir/a b.ts'", 1, text],
  ['cat -n a.ts', 1, ['     1\tone', '     2\t', '     3\tthree', '     4\tfour', '     5\tfive']],
  ['nl -ba a.ts', 1, ['     1\tone', '     2\t', '     3\tthree', '     4\tfour', '     5\tfive']],
  ['nl a.ts', 1, ['     1\tone', '       ', '     2\tthree', '     3\tfour', '     4\tfive']],
  ['head a.ts', 1, text],
  ['head -2 a.ts', 1, ['one', '']],
  ['head -n 2 a.ts', 1, ['one', '']],
  ['head --lines=2 "a.ts"', 1, ['one', '']],
  ['tail -n 2 a.ts', 4, ['four', 'five']],
  ['tail -n +4 a.ts', 4, ['four', 'five']],
  ["sed -n '2,3p' a.ts", 2, ['', 'three']],
  ['sed -n 3p a.ts', 3, ['three']],
  ["sed -n '4,$p' a.ts", 4, ['four', 'five']],
  ["nl -ba a.ts | sed -n '3,4p'", 3, ['     3\tthree', '     4\tfour']],
  ['cat a.ts | head -n 1', 1, ['one']],
])('%s shows lines from %d on', (command, first, rows) => {
  const read = parseShellRead(command);
  expect(read && rowsOfShellRead(read, text)).toEqual({ first, rows });
});

test.each([
  'cat a.ts b.ts; ls',
  'cat $FILE',
  'cat *.ts',
  'cat ~/a.ts',
  'cat a.ts > b.ts',
  'cat a.ts && ls',
  'cat a.ts || ls',
  'cat a.ts | grep x',
  'cat a.ts | sort | head -1',
  'cat -A a.ts',
  'cat "a$x.ts"',
  'cat `ls`',
  'cat <<EOF\nx\nEOF',
  'cat',
  'cat -',
  'head -c 10 a.ts',
  'head -n -5 a.ts',
  'tail -f a.log',
  "sed -n '/x/p' a.ts",
  "sed 's/a/b/' a.ts",
  "sed -n '2,3p;5q' a.ts",
  'sed -i 2p a.ts',
  'FOO=1 cat a.ts',
  'ls a.ts',
])('%s is not recognised', (command) => {
  expect(parseShellRead(command)).toBeUndefined();
});
