/** A session of many requests as a log: reads, edits and test runs of the sizes that real sessions have. */
import { foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import { declareTools } from '@zerd/core/tools/declarations';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId, TurnId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';

const turnId = 'turn_grown' as TurnId;
const files = 60;
const bytesPerToken = 4;
/** Of a result, in turn: real sessions have many small ones and a few large. */
const sizes = [300, 2_400, 900, 6_000, 1_200, 14_000, 500, 3_000];

export function grownSession(requests: number): SessionState {
  const events: SessionEvent[] = [created(), { kind: 'turn.started', turnId }, said()];
  let bytes = 8_000;
  for (let n = 0; n < requests; n++) {
    const prompt = Math.round(bytes / bytesPerToken);
    const [call, result] = callOf(n);
    events.push(started(n), answered(n, call, prompt), result);
    bytes += call.inputJson.length + ('shown' in result ? result.shown.length : 0) + 200;
  }
  return foldSession(events.map((event, index): LoggedEvent => ({ seq: index + 1, at: 1_000 * index, event })));
}

function created(): SessionEvent {
  const tools = JSON.stringify(declareTools());
  return {
    kind: 'session.created',
    root: '/work',
    model: 'sim/sim',
    mode: 'full',
    system: 'x'.repeat(3_000),
    tools,
    version: '0',
  };
}

function said(): SessionEvent {
  return { kind: 'message.submitted', turnId, text: 'Make the tests pass.' };
}

function started(n: number): SessionEvent {
  return { kind: 'request.started', requestId: idOf(n), turnId, model: 'sim/sim', attempt: 1, bytes: 1, segments: [] };
}

function idOf(n: number): RequestId {
  return `req_${n}` as RequestId;
}

type Call = { readonly kind: 'toolCall'; readonly callId: CallId; readonly name: string; readonly inputJson: string };

function answered(n: number, call: Call, prompt: number): SessionEvent {
  const written = Math.min(prompt, 1_000);
  const usage: Usage = { uncached: 0, cacheRead: prompt - written, cacheWrite: written, output: 60, reported: true };
  const content = [{ kind: 'text' as const, text: 'Going on.' }, call];
  return {
    kind: 'assistant.finished',
    requestId: idOf(n),
    turnId,
    content,
    stopReason: 'toolUse',
    usage,
    costPico: null,
  };
}

function callOf(n: number): readonly [Call, SessionEvent] {
  const callId = `call_${n}` as CallId;
  const path = `src/file-${n % files}.ts`;
  const edit = { path, old: line(n).repeat(8), new: line(n + 1).repeat(8) };
  const [name, input] =
    n % 4 === 3 ? ['edit', edit] : n % 4 === 1 ? ['shell', { command: 'npm test' }] : ['read', { path }];
  const bytes = name === 'edit' ? 60 : (sizes[n % sizes.length] ?? 0);
  const shown = line(n).repeat(Math.ceil(bytes / line(n).length));
  const archiveId = n.toString(16).padStart(16, '0') as ArchiveId;
  const call: Call = { kind: 'toolCall', callId, name: String(name), inputJson: JSON.stringify(input) };
  return [call, { kind: 'toolCall.finished', turnId, callId, outcome: 'ok', shown, archiveId, bytes, durationMs: 1 }];
}

function line(n: number): string {
  return `  const value${n} = compute(${n}, options.first, 'a word or two');\n`;
}
