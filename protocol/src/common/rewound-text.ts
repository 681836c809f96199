/** What going back did to the files, or would do, in words: a line for each, those that stay with the reason. */
import type { ResultOf } from './methods.ts';

type Rewound = ResultOf<'session/rewind'>;
type RewoundFile = Rewound['files'][number];
type Told = Pick<Rewound, 'files' | 'commands' | 'runningJobs' | 'lostAgents'>;

/** Behind the files: what is not known, and how to read what is archived. */
export function rewoundLines({ files, commands, runningJobs = 0, lostAgents = 0 }: Told): readonly string[] {
  return [
    ...files.map(fileLine),
    ...(files.some(({ outcome }) => outcome === 'unknown') ? [whyUnknown] : []),
    ...unless(commands, (n) =>
      n === 1
        ? 'A command ran since: what it changed is not taken back.'
        : `${n} commands ran since: what they changed is not taken back.`,
    ),
    ...unless(runningJobs, (n) =>
      n === 1
        ? 'A command begun since still runs and may change files: see zerd jobs.'
        : `${n} commands begun since still run and may change files: see zerd jobs.`,
    ),
    ...unless(lostAgents, (n) =>
      n === 1
        ? 'A sub-agent worked since whose session is deleted: what it changed is not known and stays.'
        : `${n} sub-agents worked since whose sessions are deleted: what they changed is not known and stays.`,
    ),
    ...files.filter(namesArchived).slice(0, 1).map(howToRead),
  ];
}

const whyUnknown =
  'What a file held is not known where it was over 8 MiB, a write was cut off, a secret of it was forgotten, or an older release wrote it.';

function unless(count: number, line: (count: number) => string): readonly string[] {
  return count === 0 ? [] : [line(count)];
}

function namesArchived({ outcome, was, back }: RewoundFile): boolean {
  return was !== undefined || ((outcome === 'changed' || outcome === 'failed') && back !== undefined);
}

function howToRead({ was, back }: RewoundFile): string {
  return `To read what is archived: zerd archive ${was ?? back}`;
}

function fileLine({ path, outcome, message, back, was }: RewoundFile): string {
  switch (outcome) {
    case 'put back':
      return `${path}: put back${was === undefined ? '' : `; what was there is archived as ${was}`}`;
    case 'removed':
      return `${path}: removed, it was created since${was === undefined ? '' : `; archived as ${was}`}`;
    case 'as before':
      return `${path}: is as it was already`;
    case 'changed':
      return `${path}: stays, something else changed it too${back === undefined ? '' : `; what it held is archived as ${back}`}`;
    case 'unknown':
      return `${path}: stays, what it held is not known`;
    case 'failed':
      return `${path}: stays. ${message ?? ''}${back === undefined ? '' : ` What it held is archived as ${back}.`}`.trimEnd();
  }
}
