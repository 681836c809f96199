/** The sources of the forget bench: TypeScript modules that look alike and share hardly a line. Made without chance. */
import { valueFor } from './value-for.ts';

export const areas: readonly string[] = ['order', 'stock', 'price', 'cart', 'mail'];
export const parts: readonly string[] = ['store', 'model', 'check', 'serve', 'route'];
const verbs = ['open', 'seek', 'parse', 'check', 'apply', 'merge', 'close', 'retry', 'list', 'count'];
const things = ['record', 'header', 'batch', 'index', 'query', 'cursor', 'lease', 'token'];

export interface ModuleFacts {
  /** A constant `LIMIT_<id>` in the middle has this fact's value. */
  readonly limit?: string;
  /** The parameter of a function `..._<id>` is named by this fact's value. */
  readonly taker?: string;
}

export function modulePath(area: number, part: number): string {
  return `src/${areas[area]}/${parts[part]}.ts`;
}

export function moduleLines(area: number, part: number, { limit, taker }: ModuleFacts = {}): readonly string[] {
  const [folder = '', name = ''] = [areas[area], parts[part]];
  const noun = `${capital(folder)}${capital(name)}`;
  const lines = [`// ${noun}: what the ${folder} ${name} does, one function a step.`, ''];
  const functions = 9 + ((area + 2 * part) % 4);
  for (let i = 0; i < functions; i++) {
    const middle = i === Math.floor(functions / 2);
    if (middle && limit !== undefined)
      lines.push(`export const LIMIT_${limit} = '${valueFor(limit)}'; // agreed with the ${folder} team`, '');
    const takes = middle ? taker : undefined;
    lines.push(
      ...functionLines(noun, 31 * area + 7 * part + 3 * i, `${i}${takes === undefined ? '' : `_${takes}`}`, takes),
    );
  }
  return lines;
}

function functionLines(noun: string, seed: number, suffix: string, taker: string | undefined): readonly string[] {
  const verb = verbs[seed % verbs.length] ?? '';
  const thing = things[(seed * 5 + 3) % things.length] ?? '';
  const key = taker === undefined ? 'key' : valueFor(taker);
  return [
    `/** Will ${verb} the ${thing} numbered ${seed * 13} of ${noun}; gives what is left of it after step ${suffix}. */`,
    `export function ${verb}${capital(thing)}${noun}${suffix}(${key}: string, rows: number): number {`,
    `  if (rows > ${seed * 17 + 40}) throw new RangeError(\`${noun}: ${verb} ${thing} \${${key}} failed\`);`,
    `  const ${thing}Left = rows - ${key}.length * ${seed + 2};`,
    `  for (let at = ${seed}; at < rows; at += ${(seed % 7) + 1}) note('${noun}', '${verb}', at, ${thing}Left);`,
    `  return ${thing}Left < 0 ? ${seed} : ${thing}Left;`,
    '}',
    '',
  ];
}

function capital(word: string): string {
  return `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
}
