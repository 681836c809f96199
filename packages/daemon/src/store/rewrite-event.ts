/**
 * Decides what an event says once a secret is forgotten. Pure. Invariant: what did not hold it, and named no body that
 * did, stays byte for byte.
 */
import { splitRules } from '@zerd/core/rules/block';
import type { SessionEvent } from '@zerd/protocol/common/event';

export interface Rewrite {
  readonly secret: string;
  readonly replacement: string;
  /** The whole hashes of bodies that held it, and of what stands in their place. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Undefined: nothing of it changes. */
export function rewriteEvent(event: SessionEvent, rewrite: Rewrite): SessionEvent | undefined {
  let changed = false;
  const inText = (text: string): string => {
    const next = withoutSecret(withNewIds(text, rewrite), rewrite);
    if (next !== text) changed = true;
    return next;
  };
  const next = mapTexts(event, inText) as SessionEvent;
  return changed ? withNewChars(event, withoutBefore(event, next), inText) : undefined;
}

/** What a file held before is put back byte for byte or not at all: never with what stands for the secret. */
function withoutBefore(event: SessionEvent, next: SessionEvent): SessionEvent {
  if (event.kind !== 'toolCall.finished' || next.kind !== 'toolCall.finished' || !next.files) return next;
  const files = next.files.map(({ before, ...file }, n) =>
    before !== undefined && before === event.files?.[n]?.before ? { ...file, before } : file,
  );
  return { ...next, files };
}

/** Blocks of rules stand at the end of a text by their lengths. */
function withNewChars(before: SessionEvent, next: SessionEvent, inText: (text: string) => string): SessionEvent {
  if (!('rules' in next) || next.rules === undefined || next.kind === 'session.created') return next;
  const blocks = splitRules(carrierOf(before), 'rules' in before ? before.rules : []).rules;
  const rules = next.rules.map((file, n) => ({ ...file, chars: inText(blocks[n]?.text ?? '').length }));
  return { ...next, rules };
}

function carrierOf(event: SessionEvent): string {
  switch (event.kind) {
    case 'toolCall.finished':
      return event.shown;
    case 'context.trimmed':
      return event.note;
    case 'context.compacted':
      return event.summary;
    default:
      return '';
  }
}

/** Also where the text is itself JSON, as the arguments of a call are. */
function withoutSecret(text: string, { secret, replacement }: Rewrite): string {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return text.replaceAll(secret, replacement).replaceAll(inJson, replacement);
}

const ids = /(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])/g;

/** Everything in a text that could be the id of a body. */
export function idsIn(text: string): readonly string[] {
  return text.match(ids) ?? [];
}

function withNewIds(text: string, { renamed }: Rewrite): string {
  if (renamed.size === 0) return text;
  return text.replace(ids, (id) => {
    for (const [before, now] of renamed) if (before.startsWith(id)) return now.slice(0, id.length);
    return id;
  });
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
