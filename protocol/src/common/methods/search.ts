/** Rows of the search index and of what it answers. */
import { z } from 'zod';
import { findResultSchema, indexReportSchema, searchParamsSchema, searchResultSchema } from '../search.ts';
import { nothing } from './fields.ts';
import { request } from './row.ts';

export const searchMethods = {
  'search/query': request(
    'none',
    'Searches the contents of files, as ripgrep would; through the index where there is one.',
    searchParamsSchema,
    searchResultSchema,
  ),
  'file/find': request(
    'none',
    'Finds files by what somebody types of their path: letters in order, words separated by spaces.',
    z.strictObject({
      typed: z
        .string()
        .max(1_000)
        .meta({ examples: ['methods ts'] }),
      limit: z.int().positive().max(1_000).optional().describe('Absent: 50.'),
    }),
    findResultSchema,
  ),
  'index/status': request(
    'none',
    'The search index: its size, how fresh it is, why it was built.',
    nothing,
    indexReportSchema,
  ),
  'index/rebuild': request(
    'daemon',
    'Begins to build the search index anew; the old one answers until then. `index/progress` tells how far it is.',
    nothing,
    indexReportSchema,
  ),
} as const;
