/** Sessions as a compaction finds them: told in short steps, or made in the shape of a recorded one. */

import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId, TurnId } from '@zerd/protocol/common/ids';
import { log } from '../../session/events.ts';

export type Told =
  | { readonly say: string; readonly facts?: string }
  | { readonly think: string }
  | {
      readonly call: string;
      readonly input: object;
      readonly shown?: string;
      readonly exit?: number;
      readonly failed?: boolean;
      readonly file?: { readonly path: string; readonly how: 'read' | 'written' };
      /** The steps whose calls it points to. */
      readonly leansOn?: readonly number[];
    };

const turnId = 'turn_1' as TurnId;
const archiveId = 'abcdef0123456789' as ArchiveId;
const usage = { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reported: true };

/** Each call is an answer of its own. */
export function sessionOf(...steps: readonly Told[]): readonly LoggedEvent[] {
  const first: SessionEvent = {
    kind: 'session.created',
    root: '/repo',
    model: 'sim/sim',
    mode: 'edit',
    system: 'S',
    tools: '[]',
    version: '0.1.0',
  };
  return log(first, ...steps.flatMap(eventsOf));
}

function eventsOf(step: Told, index: number): readonly SessionEvent[] {
  if ('say' in step) return [{ kind: 'message.submitted', turnId, text: step.say, ...factsOf(step.facts) }];
  const requestId = `req_${index}` as RequestId;
  const answer = { kind: 'assistant.finished', requestId, turnId, usage, costPico: null } as const;
  if ('think' in step) return [{ ...answer, content: [{ kind: 'text', text: step.think }], stopReason: 'end' }];
  const callId = `c${index}` as CallId;
  const { call, input, shown = 'ok', exit, file, leansOn } = step;
  const failed = step.failed ?? (exit !== undefined && exit !== 0);
  const block = { kind: 'toolCall', callId, name: call, inputJson: JSON.stringify(input) } as const;
  return [
    { ...answer, content: [block], stopReason: 'toolUse' },
    {
      kind: 'toolCall.finished',
      turnId,
      callId,
      outcome: failed ? 'failed' : 'ok',
      shown,
      archiveId,
      bytes: shown.length,
      durationMs: 1,
      ...(exit === undefined ? {} : { exitCode: exit }),
      ...(leansOn === undefined ? {} : { leansOn: leansOn.map((other) => `c${other}` as CallId) }),
      ...(file === undefined ? {} : { files: [{ ...file, hash: 'h' }] }),
    },
  ];
}

function factsOf(facts: string | undefined) {
  return facts === undefined ? {} : { facts };
}

export const shell = (command: string, shown = '', exit = 0): Told => ({
  call: 'shell',
  input: { command },
  shown,
  exit,
});
export const read = (path: string, shown: string): Told => ({
  call: 'read',
  input: { path },
  shown,
  file: { path, how: 'read' },
});
export const edit = (path: string, old: string, text: string): Told => ({
  call: 'edit',
  input: { path, old, new: text },
  shown: `${path} edited (line 1): +1 -1.`,
  file: { path, how: 'written' },
});
