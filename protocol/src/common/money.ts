/** Money on the wire: pico-dollars. One request is a whole number; sums are numbers that may be larger than whole ones go. */
import { z } from 'zod';

/**
 * A sum over requests. Whole up to 2^53 (about $9,007); beyond that the nearest number that JSON's readers hold, which is
 * off by less than a millionth of a cent up to a billion dollars.
 */
export const picoSumSchema = z
  .number()
  .describe('Pico-dollars. Whole up to 2^53, about $9,007; beyond that the nearest double.');
