import { expect, test } from '@jest/globals';
import { rewoundLines } from '../../src/common/rewound-text.ts';

test('what is not known is said behind the files, and how to read the archive only where it is named', () => {
  const check = (told: Partial<Parameters<typeof rewoundLines>[0]>, expected: readonly string[]) =>
    expect(rewoundLines({ files: [], commands: 0, ...told })).toEqual(expected);
  const read = (id: string) => `To read what is archived: zerd archive ${id}`;
  check({}, []);
  check({ commands: 1, lostAgents: 1 }, [
    'A command ran since: what it changed is not taken back.',
    'A sub-agent worked since whose session is deleted: what it changed is not known and stays.',
  ]);
  check({ commands: 1, runningJobs: 1 }, [
    'A command ran since: what it changed is not taken back.',
    'A command begun since still runs and may change files: see zerd jobs.',
  ]);
  check({ runningJobs: 2 }, ['2 commands begun since still run and may change files: see zerd jobs.']);
  check({ lostAgents: 2 }, [
    '2 sub-agents worked since whose sessions are deleted: what they changed is not known and stays.',
  ]);
  check({ files: ['a', 'b'].map((path) => ({ path, outcome: 'unknown' })) }, [
    'a: stays, what it held is not known',
    'b: stays, what it held is not known',
    'What a file held is not known where it was over 8 MiB, a write was cut off, a secret of it was forgotten, or an older release wrote it.',
  ]);
  check({ files: [{ path: 'a', outcome: 'as before', back: 'aaa' }] }, ['a: is as it was already']);
  check({ files: [{ path: 'a', outcome: 'changed', back: 'aaa' }] }, [
    'a: stays, something else changed it too; what it held is archived as aaa',
    read('aaa'),
  ]);
  check({ files: [{ path: 'a', outcome: 'failed', message: 'a is a folder, not a file.', back: 'aaa' }] }, [
    'a: stays. a is a folder, not a file. What it held is archived as aaa.',
    read('aaa'),
  ]);
  check({ files: [{ path: 'a', outcome: 'put back', back: 'aaa', was: 'bbb' }] }, [
    'a: put back; what was there is archived as bbb',
    read('bbb'),
  ]);
});
