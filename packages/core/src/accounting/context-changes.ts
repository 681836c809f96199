/**
 * What changed the beginning of a session's prompts, with its reason and what was expected of it, in one line each. A pure
 * function of the log. Invariant: every trim, summary and change of the model is there once, in the order of the log.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';

export interface ContextChange {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'trimmed' | 'compacted' | 'modelChanged' | 'imagesRefused';
  /** One line for people. */
  readonly says: string;
  /** A fork holds it of its parent. */
  readonly copied: boolean;
}

export function contextChanges(events: readonly LoggedEvent[]): readonly ContextChange[] {
  let copiedThrough = 0;
  const changes: ContextChange[] = [];
  for (const { seq, at, event } of events) {
    if (event.kind === 'session.created') copiedThrough = event.forkOf?.seq ?? 0;
    const found = changeOf(event);
    if (found !== undefined) changes.push({ seq, at, ...found, copied: seq <= copiedThrough });
    // What a trim came to is logged behind the next answer.
    const newest = changes.findLastIndex(({ kind }) => kind === 'trimmed');
    const trim = changes[newest];
    if (event.kind === 'context.measured' && trim !== undefined)
      changes[newest] = { ...trim, says: `${trim.says}; ${measured(event.saved)}` };
  }
  return changes;
}

function changeOf(event: SessionEvent): Pick<ContextChange, 'kind' | 'says'> | undefined {
  switch (event.kind) {
    case 'context.trimmed': {
      const { reason, calls, predicted } = event;
      const what = `${calls.length} old result${calls.length === 1 ? '' : 's'}, ${predicted.cut} tokens`;
      return { kind: 'trimmed', says: `${reason}: ${what} cut, ${predicted.rewritten} written anew` };
    }
    case 'context.compacted': {
      const { reason, predicted } = event;
      return { kind: 'compacted', says: `${reason}: ${predicted.prompt} tokens became ${predicted.after}` };
    }
    case 'model.changed':
      return { kind: 'modelChanged', says: `${event.model} answers from here on` };
    case 'images.refused':
      return { kind: 'imagesRefused', says: `the provider refused ${imagesIn(event)}, named from here on` };
    default:
      return undefined;
  }
}

function imagesIn({ images }: Extract<SessionEvent, { kind: 'images.refused' }>): string {
  return images.length === 1 ? 'an image' : `${images.length} images`;
}

function measured(saved: number): string {
  return saved < 0 ? `it cost ${-saved} more with the next request` : `it saved ${saved} with the next request`;
}
