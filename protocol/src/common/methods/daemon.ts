/** Rows of the daemon itself: opening a connection, how it is, its end, and what it must forget. */
import { z } from 'zod';
import { checkSchema } from '../search.ts';
import { at, nothing, range } from './fields.ts';
import { request } from './row.ts';
import { waitSchema } from './session-shapes.ts';

export const daemonMethods = {
  initialize: request(
    'none',
    'Opens the connection: agrees on a protocol version and hands over the environment that sessions of this client use.',
    z.strictObject({
      protocol: range,
      client: z.object({ name: z.string(), version: z.string() }),
      env: z
        .record(z.string(), z.string())
        .optional()
        .describe(
          "The client's environment: tools of its sessions run in it; provider keys are taken from it, in memory only.",
        ),
    }),
    z.object({
      protocol: z.int(),
      daemon: z.object({ version: z.string(), pid: z.int() }),
      root: z.string(),
      epoch: z.string(),
    }),
  ),
  'secret/forget': request(
    'daemon',
    'Replaces a text wherever it is kept: events, archived bodies, transcripts, notes, logs. The daemon then starts anew with the next client. Files of the repository are not touched.',
    z.strictObject({ secret: z.string() }),
    z.object({ events: z.int(), bodies: z.int(), files: z.int() }),
  ),
  'daemon/status': request(
    'none',
    'Who the daemon is and what it is doing.',
    z.strictObject({
      loopLag: z
        .boolean()
        .optional()
        .describe('Measures from now on, for ten minutes at most, how late the event loop is.'),
    }),
    z.object({
      version: z.string(),
      pid: z.int(),
      root: z.string(),
      startedAt: at,
      upMs: z.int().optional().describe('How long it runs, whatever became of the time of day.'),
      clients: z.int(),
      runningTurns: z.int(),
      runningJobs: z.int().optional(),
      rssBytes: z.int(),
      timers: z.int().optional().describe('How many are set: what does not go down again is a leak.'),
      loopLagP99Ms: z.number().optional().describe('Since it was asked for with `loopLag` before; absent: it was not.'),
      stateFolder: z.string(),
      logFile: z.string(),
      waits: z.array(waitSchema),
    }),
  ),
  'daemon/handover': request(
    'daemon',
    'Asks an older daemon to make room for a newer one. It ends at once when nobody else needs it; else it says why it stays, and ends when that is over. May come in place of `initialize`, by a client that shares no protocol version with it.',
    z.strictObject({ version: z.string().describe('The release that wants to take over.') }),
    z.object({ stopping: z.boolean(), why: z.string().optional() }),
  ),
  'daemon/doctor': request(
    'none',
    'Looks whether what the daemon works with is in order: one check a room.',
    nothing,
    z.object({ checks: z.array(checkSchema) }),
  ),
  'daemon/shutdown': request(
    'daemon',
    'Stops the daemon. With turns running it refuses unless `force`.',
    z.strictObject({ force: z.boolean().optional() }),
    z.object({ stopping: z.boolean(), runningTurns: z.int() }),
  ),
} as const;
