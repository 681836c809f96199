/**
 * The folders of commands: one for each, private, from before it begins until the log has all there is to say of it.
 * Invariant: what is read from them may have been written by any release, or only in part; what does not fit is as if it
 * were not there.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callIdSchema, jobIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { makePrivateFolder } from '@zerd/protocol/node/private-folder';
import { z } from 'zod';
import { isDiskFull } from '../base/full-disk.ts';
import { type EndedRecord, recordNames, type StartedRecord } from '../processes/host/orders.ts';

const jobRecordSchema = z.object({
  jobId: jobIdSchema,
  sessionId: sessionIdSchema,
  turnId: turnIdSchema,
  callId: callIdSchema,
  command: z.string(),
  /** The value of the variable that all it starts carries. Opens nothing. */
  mark: z.string(),
  /** Milliseconds of the epoch. */
  startedAt: z.number(),
  timeoutMs: z.number().optional(),
});

export type JobRecord = z.infer<typeof jobRecordSchema>;

const process = z.object({ pid: z.int().positive(), startedAt: z.number() });
const startedSchema = process.extend({ bootId: z.string(), host: process, held: z.string().optional() });
const endedSchema = z.object({
  code: z.int().nullable(),
  signal: z.string().nullable(),
  at: z.number(),
  durationMs: z.number(),
  alive: z.int(),
  closed: z.boolean(),
  output: z.object({ bytes: z.number(), lines: z.number(), broken: z.string().optional() }),
});

/** What the model was not shown when the job ended, and how far it was shown before. */
const newsName = 'news';
const shownName = 'shown';

export interface JobFolders {
  /** Makes the folder of a command that is to begin. */
  make(record: JobRecord): string;
  list(): readonly { readonly folder: string; readonly record: JobRecord }[];
  remove(folder: string): void;
}

export function openJobFolders(parent: string): JobFolders {
  makePrivateFolder(parent);
  const place = (record: Pick<JobRecord, 'jobId'>) => join(parent, record.jobId);
  return {
    make(record) {
      const folder = place(record);
      mkdirSync(folder, { mode: 0o700 });
      try {
        writeText(folder, recordNames.job, JSON.stringify(record));
      } catch (error) {
        rmSync(folder, { recursive: true, force: true });
        throw error;
      }
      return folder;
    },
    list() {
      return readdirSync(parent).flatMap((name) => {
        const record = readRecord(join(parent, name), recordNames.job, jobRecordSchema);
        // A folder without its record was made by a daemon that was killed before anything began.
        if (record === undefined || record.jobId !== name) rmSync(join(parent, name), { recursive: true, force: true });
        return record?.jobId === name ? [{ folder: place(record), record }] : [];
      });
    },
    remove: (folder) => rmSync(folder, { recursive: true, force: true }),
  };
}

export function readStarted(folder: string): StartedRecord | undefined {
  return readRecord(folder, recordNames.started, startedSchema);
}

export function readEnded(folder: string): EndedRecord | undefined {
  const ended = readRecord(folder, recordNames.ended, endedSchema);
  if (ended === undefined) return undefined;
  const { broken, ...output } = ended.output;
  return { ...ended, output: { ...output, ...(broken === undefined ? {} : { broken }) } };
}

export function readGone(folder: string): boolean {
  return readText(folder, recordNames.gone) !== undefined;
}

export function readShown(folder: string): number {
  return Number(readText(folder, shownName) ?? 0) || 0;
}

/** Where a full disk takes no note of it, it may be shown again after a restart. */
export function writeShown(folder: string, bytes: number): void {
  ifRoom(() => writeText(folder, shownName, String(bytes)));
}

/** Undefined: it was not kept. */
export function readNews(folder: string): string | undefined {
  return readText(folder, newsName);
}

export function writeNews(folder: string, text: string): void {
  writeText(folder, newsName, text);
}

/** They were shown. Where a full disk takes no note of it, they may be shown again after a restart. */
export function clearNews(folder: string): void {
  ifRoom(() => writeText(folder, newsName, ''));
}

function ifRoom(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

function readRecord<S extends z.ZodType>(folder: string, name: string, schema: S): z.infer<S> | undefined {
  const text = readText(folder, name);
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    // Cut short by a full disk: it says nothing.
    return undefined;
  }
}

function readText(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

function writeText(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
