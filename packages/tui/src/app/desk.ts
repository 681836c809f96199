/** What a command may do: the screen's side of it, and the session's. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import type { Feed } from '@zerd/protocol/node/follow';
import type { Line } from '../text/style.ts';
import type { Block } from '../transcript/blocks.ts';
import type { Item, PageWish } from './overlay.ts';
import type { Queued } from './status.ts';

export interface Desk {
  /** The session's own; throws where there is no session yet. */
  readonly feed: Pick<Feed, 'request'>;
  readonly sessionId: SessionId | undefined;
  readonly columns: number;
  say(tone: 'dim' | 'warn' | 'bad' | 'good', text: string): void;
  page(title: string, lines: readonly Line[], wish?: PageWish): void;
  /** `refresh`: asked for the items again and again while the list is open. */
  choose(
    title: string,
    items: readonly Item[],
    pick: (value: string) => void,
    refresh?: () => Promise<readonly Item[]>,
  ): void;
  /** Settles when all of it is shown, or it was told why not. Undefined: a new one. */
  open(sessionId: SessionId | undefined): Promise<void>;
  /** What is shown of the session. */
  readonly blocks: readonly Block[];
  /** Changes made by the session's edits, newest last. */
  readonly diffs: readonly string[];
  readonly todo: string;
  readonly queue: readonly Queued[];
  readonly queuePaused: boolean;
  /** Puts what was said back into the input, as it is typed, before what stands there. */
  write(text: string): void;
  /** What a session is begun with that is not there yet. */
  begin(wish: { readonly model?: string; readonly mode?: Mode }): void;
  /** Milliseconds of the epoch. */
  now(): number;
  edit(text: string): Promise<string | undefined>;
  /** Puts it on the clipboard. */
  copy(text: string): void;
  quit(): void;
}

export function sessionOf({ sessionId }: Desk): SessionId {
  if (sessionId === undefined) throw new Error('There is no session yet: say something first, or use /sessions.');
  return sessionId;
}
