/** The file types that ripgrep knows, as globs on names. Asked once. */
import { type Glob, parseGlob } from '@zerd/core/search/glob';
import { runRipgrep } from '../../processes/ripgrep.ts';

let asked: Promise<ReadonlyMap<string, readonly Glob[]>> | undefined;

/** Undefined: ripgrep knows no such type. */
export async function globsOfType(type: string): Promise<readonly Glob[] | undefined> {
  asked ??= readTypes();
  return (await asked).get(type);
}

async function readTypes(): Promise<ReadonlyMap<string, readonly Glob[]>> {
  let text = '';
  const onOutput = (chunk: Buffer): 'go' => {
    text += chunk.toString('utf8');
    return 'go';
  };
  await runRipgrep({ args: ['--type-list'], cwd: '/', signal: new AbortController().signal, onOutput });
  const rows = text.split('\n').filter((line) => line.includes(': '));
  return new Map(
    rows.map((line) => {
      const [name = '', globs = ''] = line.split(/: (.*)/s);
      return [name, globs.split(', ').map(parseGlob)];
    }),
  );
}
