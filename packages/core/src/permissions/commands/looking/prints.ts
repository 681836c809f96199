/**
 * Decides of the programs that print what they are given whether they do no more: bash's own `printf` also sets variables
 * (`%n`, and with it `PATH`), and `seq` counts for ever (S-43).
 */
import { readArguments } from './arguments.ts';

/** As they stand in a format, one after another; a width is short: it is memory. */
const piece = /%%|%[-+ #0]*\d{0,3}(?:\.\d{0,3})?[bqcsdiouxXeEfFgG]|[^%]/gu;

export function printsFormat([format = '-']: readonly string[]): readonly string[] | undefined {
  // What an escape makes of a percent sign behind it, nobody has to know.
  if (format.startsWith('-') || format.includes('\\%')) return undefined;
  return format.replace(piece, '') === '' ? [] : undefined;
}

const shortNumber = /^-?\d{1,6}$/;

export function printsNumbers(given: readonly string[]): readonly string[] | undefined {
  const read = readArguments({ flags: 'w', values: 's' }, given);
  return read?.operands.every((operand) => shortNumber.test(operand)) ? [] : undefined;
}
