/** What searching gives and what is told of the index: the schemas of the methods `search/query`, `file/find`, `index/…`. */
import { z } from 'zod';

const at = z.int().describe('Milliseconds of the epoch.');
const counts = z.int().nonnegative();

export const searchParamsSchema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(100_000)
    .describe('A regular expression as ripgrep takes it.')
    .meta({ examples: ['TODO'] }),
  path: z.string().optional().describe('A folder or file of the repository; absent: all of it.'),
  glob: z.string().optional().describe('Files to look at: *.ts, src/**; !*.md for all others.'),
  type: z.string().optional().describe('Files of a kind as ripgrep names it: ts, rust.'),
  literal: z.boolean().optional().describe('The pattern is plain text.'),
  ignoreCase: z.boolean().optional(),
  smartCase: z.boolean().optional().describe('In any case when the pattern holds no capital letter.'),
  wholeWord: z.boolean().optional(),
  multiline: z.boolean().optional().describe('A match may go over lines.'),
  context: z.int().nonnegative().max(1_000).optional().describe('Lines around each match.'),
  limit: z.int().positive().max(10_000).optional().describe('Hits of the answer; totals count on. Absent: 2000.'),
});

export const searchHitSchema = z.object({
  path: z.string().describe('Relative to the root, with forward slashes.'),
  line: z.int(),
  text: z.string(),
  column: z.int().optional().describe('UTF-16 offset of the first match in `text`; absent on context lines.'),
  cutBefore: z.int().optional().describe('Bytes of a long line that are missing before `text`.'),
  cutAfter: z.int().optional(),
});

export const searchResultSchema = z.object({
  hits: z.array(searchHitSchema).describe('In path order.'),
  totalMatches: counts.describe('Matching lines, also those that `hits` leaves out.'),
  totalFiles: counts,
  incomplete: z.string().optional().describe('Why the answer is not whole; absent: it is.'),
  partial: z.boolean().optional().describe('Hidden and ignored files were not searched; `path` can name one.'),
  synced: z.boolean().describe('Whether all that was written before the question is certainly in the answer.'),
});

export const findResultSchema = z.object({
  paths: z.array(z.string()).describe('The best first.'),
  total: counts.describe('All that fit.'),
  incomplete: z.string().optional(),
  synced: z.boolean().describe('Whether the list of files is certainly that of now.'),
});

export const indexReportSchema = z
  .object({
    state: z
      .enum(['off', 'none', 'small', 'building', 'ready', 'refused'])
      .describe(
        'off: by the settings; none: not built yet; small: scanning is as quick; building: the first time; refused: the root is the home folder or /.',
      ),
    files: counts,
    corpusBytes: counts.describe('Bytes of the indexed files.'),
    indexBytes: counts.describe('Bytes of the index on disk.'),
    segments: counts,
    changed: counts.describe('Files that each query reads anew because they changed since they were indexed.'),
    removed: counts,
    builtAt: at.optional(),
    buildMs: counts.optional(),
    loadMs: counts.optional(),
    why: z.string().optional().describe('Why it was built the last time, or why there is none.'),
    failed: z
      .strictObject({ at: z.number(), why: z.string() })
      .optional()
      .describe('When and why the last build came to nothing; searches scan, or use the index that was there.'),
    progress: z
      .object({ files: counts, totalFiles: counts, bytes: counts, totalBytes: counts })
      .optional()
      .describe('A build that runs.'),
    watch: z
      .object({
        phase: z
          .enum(['off', 'starting', 'live', 'polling', 'ended'])
          .describe(
            'live: each change is known at once; starting: changes of earlier are being found; polling: the tree cannot be watched and is walked when somebody searches; off: nobody searches.',
          ),
        folders: counts.describe('Folders that are watched.'),
        why: z.string().optional(),
        catchUpMs: counts.optional().describe('How long it took to find what had changed unwatched.'),
        caughtUpAt: at.optional(),
        overflows: counts.describe('How often events may have been lost, and everything was looked at again.'),
      })
      .describe('How it is kept fresh.'),
  })
  .describe('The search index and how fresh it is.');

export type IndexReport = z.infer<typeof indexReportSchema>;

export const checkSchema = z.object({
  name: z.string(),
  ok: z.boolean(),
  says: z.string().describe('What was found.'),
  todo: z.string().optional().describe('What to do; absent: nothing.'),
});
export type Check = z.infer<typeof checkSchema>;
