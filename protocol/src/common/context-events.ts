/** The events by which the context of a session changes beside what is said in it: reminders, trims, compactions. */
import { z } from 'zod';
import { archiveIdSchema, callIdSchema, jobIdSchema, requestIdSchema, turnIdSchema } from './ids.ts';
import { modeSchema } from './mode.ts';
import { rulesFileSchema } from './rules-file.ts';
import { usageSchema } from './usage.ts';

export const contextEvents = [
  z
    .object({
      kind: z.literal('reminder.added'),
      turnId: turnIdSchema,
      text: z.string().describe('What the model is told, in a block of its own behind all that was there.'),
      about: z.discriminatedUnion('kind', [
        z
          .object({
            kind: z.literal('filesChanged'),
            files: z.array(
              z.object({
                path: z.string(),
                hash: z.string().optional().describe('SHA-256 of what it now holds; absent: it is gone.'),
                lines: z.boolean().describe('The changed lines are shown, not merely that there are some.'),
              }),
            ),
          })
          .describe('Files that the model has seen were changed, by somebody else or by a command.'),
        z
          .object({ kind: z.literal('leakedCall'), times: z.int().describe('How often in a row.') })
          .describe('A tool call arrived as text and could not be read as one.'),
        z
          .object({
            kind: z.literal('rulesChanged'),
            files: z.array(z.object({ path: z.string(), hash: z.string().optional().describe('Absent: it is gone.') })),
          })
          .describe('Files of rules that the model was shown hold something else now.'),
        z
          .object({ kind: z.literal('todoStale'), requests: z.int().describe('Since it was last changed.') })
          .describe('The list of steps has open ones and was not changed for long.'),
        z
          .object({
            kind: z.literal('outsideTools'),
            servers: z.array(
              z.object({
                name: z.string(),
                state: z.enum(['ready', 'unknown', 'failed', 'unapproved', 'gone']),
                tools: z
                  .object({
                    by: z.enum(['signatures', 'names', 'count']).describe('What the model was told of each.'),
                    count: z.int(),
                    tools: z.array(z.string()).describe('All of them in these words; empty when they were counted.'),
                  })
                  .optional()
                  .describe('Its tools as the model knows them from here on; absent: as before.'),
              }),
            ),
          })
          .describe('What is known of outside tools changed: servers of the Model Context Protocol.'),
        z.object({ kind: z.literal('notesEdited') }).describe('The user changed the notes or the list of steps.'),
        z
          .object({ kind: z.literal('jobsEnded'), jobIds: z.array(jobIdSchema) })
          .describe('Jobs ended since the model last heard of them.'),
        z.object({ kind: z.literal('modeChanged'), mode: modeSchema }).describe('The user changed the mode.'),
        z
          .object({ kind: z.literal('folderMoved'), folder: z.string().describe('Where it is now.') })
          .describe('The working folder was moved.'),
      ]),
    })
    .describe('The model was reminded of something that it could not know.'),
  z
    .object({
      kind: z.literal('context.trimmed'),
      turnId: turnIdSchema,
      reason: z.string().describe('One line for people.'),
      calls: z.array(callIdSchema).describe('Their results are from now on shown by beginning, end and archive id.'),
      inputs: z
        .array(z.object({ callId: callIdSchema, archiveId: archiveIdSchema }))
        .describe('Calls whose texts are from now on named by the id under which they were archived.'),
      note: z.string().describe('What the model is told of it, as a block of its own behind all that was there.'),
      clearedNotes: z.array(z.int()).optional().describe('Earlier notes, by the seq of their trim, that go with it.'),
      rules: z.array(rulesFileSchema).optional().describe('Rules that `note` repeats at its end: their results went.'),
      keptFrom: requestIdSchema.describe('The oldest request whose results stay whole: what is before it is final.'),
      entryAt: requestIdSchema
        .optional()
        .describe('The request at whose end the provider still holds the prefix; absent: the fixed part, or nothing.'),
      endsReasoning: z.boolean().optional().describe('Reasoning from before it is no longer sent.'),
      predicted: z
        .object({
          cut: z.int().describe('Tokens taken out.'),
          read: z.int().describe('Tokens that the provider would have read from its cache.'),
          kept: z.int().describe('What it still reads.'),
          rewritten: z.int().describe('What it writes anew.'),
          rent: z
            .int()
            .describe('What the cut has paid, in tokens at the price of uncached input, as all that follows.'),
          price: z.int().describe('What that had to reach.'),
          costKept: z.int().describe('The next request without the trim.'),
          costTrimmed: z.int().describe('The next request with it.'),
        })
        .describe('What the planner expected.'),
    })
    .describe('Old results left the prompt: one of the few events after which it does not begin as before.'),
  z
    .object({
      kind: z.literal('context.measured'),
      turnId: turnIdSchema,
      requestId: requestIdSchema.describe('The first request after the trim.'),
      prompt: z.int().describe('Its tokens.'),
      read: z.int().describe('What of them the provider read from its cache.'),
      saved: z
        .int()
        .describe('What it cost less than it would have, in tokens at the price of uncached input; below 0: more.'),
    })
    .describe('What the newest trim came to, beside what was predicted.'),
  z
    .object({
      kind: z.literal('images.refused'),
      turnId: turnIdSchema,
      images: z.array(archiveIdSchema).describe('By the ids of their bytes.'),
      reason: z.string().describe("The provider's words, within a cap."),
    })
    .describe(
      'The provider refused the request for its images. From here on they are named in it and no longer sent, until another model answers.',
    ),
  z
    .object({
      kind: z.literal('context.compacted'),
      turnId: turnIdSchema,
      reason: z.string().describe('One line for people.'),
      throughSeq: z.int().describe('Everything up to this event is no longer sent: the summary stands for it.'),
      summary: z.string().describe('What the model reads in its place, exactly.'),
      rules: z.array(rulesFileSchema).optional().describe('Rules that `summary` repeats at its end.'),
      archiveId: archiveIdSchema.optional().describe('All that was replaced, as text.'),
      summaryRequestId: requestIdSchema.describe('The request that wrote the last of the prose.'),
      usage: usageSchema.describe('Of all requests that wrote it.'),
      predicted: z
        .object({
          prompt: z.int().describe('Tokens of the next request without the compaction.'),
          after: z.int().describe('Tokens of it with the compaction.'),
          facts: z.int().describe('What of them the kept facts and the prose take.'),
        })
        .describe('What was expected, estimated from bytes.'),
    })
    .describe('A summary took the place of the older part of the conversation: the prompt no longer begins as before.'),
] as const;
