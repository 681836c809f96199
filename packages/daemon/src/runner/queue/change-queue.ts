/**
 * Does: adds what the user says to a running turn or to the queue, and changes what waits there. Invariants: acknowledged
 * is only what is committed; what is being submitted can no longer be changed.
 */

import type { QueuedPrompt, SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type PromptId, promptIdSchema, type SessionId, type TurnId } from '@zerd/protocol/common/ids';
import type { GivenImages, Image } from '@zerd/protocol/common/image';
import { mentionedPaths } from '@zerd/protocol/common/mentions';
import { saidBudget } from '../../config/budgets.ts';
import { describeKnown } from '../../config/models.ts';
import { raisedByPrompt } from '../budget/raise-by-prompt.ts';
import { attachImages, type Said } from '../images/attach-images.ts';
import { newId } from '../new-id.ts';
import type { TurnParts } from '../parts.ts';
import type { Kept, NewPrompt, PromptChange } from '../runner.ts';

export type QueueParts = Pick<
  TurnParts,
  'book' | 'clock' | 'prompts' | 'budgets' | 'root' | 'store' | 'readConfig' | 'trust'
>;

export async function addPrompt(parts: QueueParts, prompt: NewPrompt & { readonly trust?: boolean }): Promise<Kept> {
  const { sessionId, text, headless, maxRequests, model } = prompt;
  requireText(text);
  return await keep(parts, sessionId, {
    text,
    ...logged(await imagesOf(parts, sessionId, prompt)),
    ...(headless === undefined ? {} : { headless }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...saidBudget(prompt),
    ...(model === undefined ? {} : { model }),
  });
}

export interface Steering {
  readonly sessionId: SessionId;
  readonly expectedTurnId: TurnId;
  readonly text: string;
  readonly images?: GivenImages;
}

/** Rejects with unknown_turn when another turn runs, or none. */
export async function steerTurn(parts: QueueParts, steering: Steering): Promise<Kept> {
  const { sessionId, expectedTurnId, text } = steering;
  requireText(text);
  const images = await imagesOf(parts, sessionId, { ...steering, trust: true });
  const { turn } = parts.book.state(sessionId);
  if (turn?.turnId !== expectedTurnId) throw otherTurn(sessionId, expectedTurnId, turn?.turnId);
  // What becomes of it when the turn ends without it is for the same people to answer.
  return await keep(parts, sessionId, {
    text,
    ...logged(images),
    steers: expectedTurnId,
    ...(turn.headless && { headless: true }),
  });
}

type Queued = Extract<SessionEvent, { kind: 'prompt.queued' }>;

async function keep(
  { book, clock, budgets }: QueueParts,
  sessionId: SessionId,
  prompt: Omit<Queued, 'kind' | 'promptId'>,
): Promise<Kept> {
  const promptId = promptIdSchema.parse(newId('prm', clock));
  const raised = raisedByPrompt(budgets, sessionId, prompt.budget);
  const { lastSeq } = await book.append(sessionId, [{ kind: 'prompt.queued', promptId, ...prompt }, ...raised]);
  return { promptId, seq: lastSeq };
}

/** Rejects with already_resolved when it waits no longer. */
export async function changePrompt(parts: QueueParts, change: PromptChange): Promise<Kept> {
  const { book, prompts } = parts;
  const { sessionId, promptId, text } = change;
  if (text !== null) requireText(text);
  return await prompts.run(sessionId, async () => {
    const before = waitingPrompt(book.state(sessionId), promptId);
    const event: SessionEvent =
      text === null
        ? { kind: 'prompt.removed', promptId }
        : { kind: 'prompt.changed', promptId, text, ...logged(await changedImages(parts, change, text, before)) };
    const { lastSeq } = await book.append(sessionId, [event]);
    return { promptId, seq: lastSeq };
  });
}

/** As the model that would answer now counts them. */
async function imagesOf(
  { book, readConfig, root, store, trust }: QueueParts,
  sessionId: SessionId,
  said: Said & { readonly trust?: boolean },
): Promise<readonly Image[]> {
  const { chosenModel, model } = book.state(sessionId);
  const known = describeKnown(readConfig(), chosenModel ?? model);
  const readable = said.trust || trust.trusted() ? root : undefined;
  return await attachImages({ root: readable, store }, said, { images: known?.images ?? null });
}

/** Those that were sent along stay unless others come, those that the text names as long as it names them. */
async function changedImages(
  parts: QueueParts,
  { sessionId, images }: PromptChange,
  text: string,
  before: QueuedPrompt,
): Promise<readonly Image[]> {
  const [named, stillNamed] = [new Set(mentionedPaths(before.text)), new Set(mentionedPaths(text))];
  const stays = ({ name }: Image) => (named.has(name) ? stillNamed.has(name) : images === undefined);
  const kept = (before.images ?? []).filter(stays);
  const names = new Set(kept.map(({ name }) => name));
  const found = await imagesOf(parts, sessionId, { text, ...(images && { images }) });
  return [...kept, ...found.filter(({ name }) => !names.has(name))];
}

function logged(images: readonly Image[]): { readonly images?: Image[] } {
  return images.length === 0 ? {} : { images: [...images] };
}

/** Throws already_resolved. */
export function waitingPrompt({ queue }: SessionState, promptId: PromptId): QueuedPrompt {
  const found = queue.find((prompt) => prompt.promptId === promptId);
  if (found !== undefined) return found;
  throw new ZerdError(
    'already_resolved',
    `Prompt ${promptId} does not wait any more: it was submitted or taken back. Nothing was changed.`,
  );
}

function requireText(text: string): void {
  if (text.trim() === '') throw new ZerdError('invalid_params', 'The message is empty; nothing was kept.');
}

function otherTurn(sessionId: SessionId, expected: TurnId, running: TurnId | undefined): ZerdError {
  const now = running === undefined ? 'no turn runs' : `turn ${running} runs`;
  const instead =
    running === undefined ? 'start a turn with it' : 'send it to that turn, or let it wait for a turn of its own';
  return new ZerdError(
    'unknown_turn',
    `In session ${sessionId} ${now}, not ${expected}; nothing was kept. Read the session again, and ${instead}.`,
  );
}
