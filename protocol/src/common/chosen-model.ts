/** How clients say that another model was chosen while a turn runs, or that it cannot answer after all. */
import type { SessionEvent } from './event.ts';

export function chosenText({ model, reason }: Extract<SessionEvent, { kind: 'model.chosen' }>): string {
  return reason === undefined ? `${model} answers from the next request on` : `${model} goes on: ${reason}`;
}
