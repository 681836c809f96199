/**
 * Says in one line what became of the reasoning of models that bind it to what stood before: how much of it trims and
 * summaries ended, and what the provider left out besides.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';

/** `binds`: of a model as the log names it. Undefined: there is nothing to tell. */
export function reasoningNote(events: readonly LoggedEvent[], binds: (model: string) => boolean): string | undefined {
  const all = events.map(({ event }) => event);
  const used = new Set(all.flatMap((event) => (event.kind === 'request.started' ? [event.model] : [])));
  const models = [...used].filter(binds);
  const edits = models.length === 0 ? 0 : all.filter(endsReasoning).length;
  const removed = all.reduce((sum, event) => sum + (removedBy(event) ?? 0), 0);
  if (edits === 0 && removed === 0) return undefined;
  const bound = edits > 0 ? `${models.join(' and ')}, whose reasoning is bound to what stood before,` : 'The provider';
  const ended =
    edits === 0 ? '' : ` lost what it had thought before ${times(edits, 'trim or summary', 'trims and summaries')}`;
  const left =
    removed === 0 ? '' : ` left out ${times(removed, 'block of reasoning', 'blocks of reasoning')} behind an edit`;
  return `${bound}${ended}${ended !== '' && left !== '' ? ', and its provider' : ''}${left}; thinking again costs output.`;
}

function endsReasoning(event: SessionEvent): boolean {
  return event.kind === 'context.compacted' || (event.kind === 'context.trimmed' && event.endsReasoning === true);
}

function removedBy(event: SessionEvent): number | undefined {
  return event.kind === 'assistant.finished' ? event.removedReasoning : undefined;
}

function times(n: number, one: string, many: string): string {
  return n === 1 ? `a ${one}` : `${n} ${many}`;
}
