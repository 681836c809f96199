/** Reads what a bench was called with. Help and a mistake end the process with one line: how it is called. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** `usage`: what stands behind `npm run -s bench:`. */
export function readOptions<const T extends Options>(
  usage: string,
  options: T,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] {
  const given = process.argv.slice(2);
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(lineOf(usage));
    process.exit(0);
  }
  try {
    return parseArgs({ args: given, options }).values;
  } catch (error) {
    if (!isMistake(error)) throw error;
    process.exit(wrongUse(usage));
  }
}

/** The exit status. */
export function wrongUse(usage: string): number {
  process.stderr.write(lineOf(usage));
  return 2;
}

function lineOf(usage: string): string {
  return `Usage: npm run -s bench:${usage}\n`;
}

function isMistake(error: unknown): boolean {
  return String((error as { readonly code?: unknown }).code).startsWith('ERR_PARSE_ARGS_');
}
