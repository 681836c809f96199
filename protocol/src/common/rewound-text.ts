/** What going back did to the files, or would do, in words: a line for each, those that stay with the reason. */
import type { ResultOf } from './methods.ts';

type Rewound = ResultOf<'session/rewind'>;
type RewoundFile = Rewound['files'][number];

export function rewoundLines({ files, commands }: Pick<Rewound, 'files' | 'commands'>): readonly string[] {
  if (commands === 0) return files.map(fileLine);
  const ran = commands === 1 ? 'A command ran since: what it' : `${commands} commands ran since: what they`;
  return [...files.map(fileLine), `${ran} changed is not taken back.`];
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
      return `${path}: stays. ${message ?? ''}`.trimEnd();
  }
}
