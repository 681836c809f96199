/** The file with what could not be ended yet: read once, by the next daemon. There is none while there is nothing. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { jobIdSchema } from '@zerd/protocol/common/ids';
import { z } from 'zod';
import type { JobsRoom } from './room.ts';

const leftSchema = z.array(
  z.object({
    jobId: jobIdSchema,
    tree: z.object({
      pid: z.int().positive().optional(),
      startedAt: z.number().optional(),
      mark: z.string(),
      held: z.string().optional(),
    }),
    bootId: z.string(),
    /** Milliseconds of the epoch. */
    sinceAt: z.number(),
  }),
);

export type LeftRecord = z.infer<typeof leftSchema>[number];

export interface LeftRecords {
  read(): readonly LeftRecord[];
  /** Never throws: on a full disk they are kept in memory alone. */
  write(records: readonly LeftRecord[]): void;
}

export function openLeftRecords({ leftFile, log }: Pick<JobsRoom, 'leftFile' | 'log'>): LeftRecords {
  function read(): readonly LeftRecord[] {
    try {
      return leftSchema.safeParse(JSON.parse(readFileSync(leftFile, 'utf8'))).data ?? [];
    } catch {
      // There is none, or a full disk cut it short.
      return [];
    }
  }

  function write(records: readonly LeftRecord[]): void {
    try {
      if (records.length === 0) rmSync(leftFile, { force: true });
      else replace(JSON.stringify(records));
    } catch (error) {
      log.warn('what a command left behind could not be written down', { error });
    }
  }

  function replace(text: string): void {
    writeFileSync(`${leftFile}.new`, text, { mode: 0o600 });
    renameSync(`${leftFile}.new`, leftFile);
  }

  return { read, write };
}
