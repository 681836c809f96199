/**
 * Says what a request changed against an earlier one, as the providers do: by structure, whatever the cache holds
 * (Anthropic `diagnostics`, OpenAI `prompt_cache_options.comparison_response_id`; SDK types of 2026-11).
 */
import type { WeighedRequest } from '../weigh/weigh.ts';
import { isObject, type Json, type Wire } from '../wire.ts';

export interface Diagnoser {
  /** What the answer says of it; undefined: it was not asked. */
  diagnose(request: WeighedRequest, read: number): Json | null | undefined;
  /** From now on requests can be compared with this one. */
  keep(responseId: string, request: WeighedRequest): void;
}

export function createDiagnoser(): Diagnoser {
  const known = new Map<string, WeighedRequest>();
  return {
    diagnose(request, read) {
      const asked = askedOf(request.wire, request.body);
      if (asked === undefined) return undefined;
      const change = asked === null ? undefined : changeOf(known.get(asked), request, read);
      return request.wire === 'anthropic' ? forAnthropic(change) : forOpenai(change, asked !== null);
    },
    keep: (responseId, request) => void known.set(responseId, request),
  };
}

export function responseIdOf(wire: Wire, n: number): string {
  return wire === 'anthropic' ? `msg_sim_${n}` : `resp_sim_${n}`;
}

/** Null: asked, with nothing to compare with. */
function askedOf(wire: Wire, body: Json): string | null | undefined {
  const field = wire === 'anthropic' ? body.diagnostics : body.prompt_cache_options;
  if (!isObject(field)) return undefined;
  const id = wire === 'anthropic' ? field.previous_message_id : field.comparison_response_id;
  return typeof id === 'string' ? id : id === null ? null : undefined;
}

interface Change {
  readonly what: 'unknown' | 'model' | 'tools' | 'system' | 'messages';
  readonly missed: number;
}

/** Undefined: it begins as the one before. */
function changeOf(before: WeighedRequest | undefined, now: WeighedRequest, read: number): Change | undefined {
  if (before === undefined) return { what: 'unknown', missed: 0 };
  const missed = Math.max(0, Math.min(before.tokens.total, now.tokens.total) - read);
  if (before.model !== now.model) return { what: 'model', missed };
  for (const section of ['tools', 'system', 'messages'] as const) {
    const [was, is] = [idsIn(before, section), idsIn(now, section)];
    const same = was.every((id, i) => is[i] === id) && (section === 'messages' || was.length === is.length);
    if (!same) return { what: section, missed };
  }
  return undefined;
}

function idsIn({ blocks }: WeighedRequest, section: string): readonly number[] {
  return blocks.filter((block) => block.section === section).map(({ id }) => id);
}

function forAnthropic(change: Change | undefined): Json | null {
  if (change === undefined) return null;
  if (change.what === 'unknown') return { cache_miss_reason: { type: 'previous_message_not_found' } };
  return { cache_miss_reason: { type: `${change.what}_changed`, cache_missed_input_tokens: change.missed } };
}

function forOpenai(change: Change | undefined, compared: boolean): Json | undefined {
  if (!compared) return undefined;
  if (change === undefined) return { type: 'cache_hit' };
  if (change.what === 'unknown') return { type: 'comparison_response_not_found' };
  const input = change.what === 'system' || change.what === 'messages';
  return {
    type: 'cache_miss',
    reason: input ? 'input_changed' : `${change.what}_changed`,
    cache_missed_tokens: change.missed,
  };
}
