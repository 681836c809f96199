/** Draws all of the screen from what is known now. Invariant: it changes nothing but what is seen. */
import type { Editor } from '../input/editor.ts';
import { coloursLoaded, loadColours } from '../markdown/code.ts';
import type { Screen } from '../screen/port.ts';
import type { Transcript } from '../transcript/blocks.ts';
import type { TranscriptView } from '../transcript/transcript-view.ts';
import { aroundLines } from './around.ts';
import type { Ask } from './ask.ts';
import type { Completions } from './completions.ts';
import type { FollowedSession } from './followed-session.ts';
import { composeFrame } from './frame.ts';
import { inputHint, statusSays } from './guide.ts';
import type { Overlay } from './overlay.ts';
import { statusLine, terminalTitle } from './status-line.ts';
import type { Unanswered } from './unanswered.ts';
import type { WaitsWatch } from './waits-watch.ts';

export interface PainterParts {
  readonly screen: Screen;
  readonly now: () => number;
  readonly transcript: Transcript;
  readonly view: TranscriptView;
  readonly session: Pick<FollowedSession, 'status' | 'model'>;
  readonly ask: Ask;
  readonly completions: Completions;
  readonly waits: WaitsWatch;
  readonly unanswered: Unanswered;
  readonly editor: () => Editor;
  readonly overlay: () => Overlay | undefined;
}

/** `at` once: what a key changed. */
export function paint(parts: PainterParts, at: 'once' | 'its time'): void {
  const { screen, transcript, view, session, ask, completions, waits, unanswered } = parts;
  const now = parts.now();
  const { status, model } = session;
  const { text, cursor } = parts.editor();
  const overlay = parts.overlay();
  const asks = ask.takesText === undefined ? (ask.open ? 'yesOrNo' : undefined) : 'word';
  // Whether the end is seen is known when the transcript is laid out.
  const says = () => statusSays(status, { follows: view.follows, waits: [unanswered.says(now), waits.says(now)], now });
  const frame = composeFrame(
    {
      transcript: view.lines,
      overlay: overlay && ((columns, rows) => overlay.lines(columns, rows)),
      around: (columns) => aroundLines(status, columns, now),
      ask: ask.lines,
      completions: completions.lines,
      input: { text, cursor, hint: inputHint(status, asks) },
      status: (columns) => statusLine(status, { ...model, now, says: says() }, columns),
    },
    screen.size(),
  );
  screen.setTitle(terminalTitle(status));
  if (at === 'once') screen.drawNow(frame);
  else screen.draw(frame);
  if (!coloursLoaded() && hasCode(transcript))
    void loadColours().then(() => {
      view.layoutAgain();
      paint(parts, 'its time');
    });
}

function hasCode({ blocks }: Transcript): boolean {
  return blocks.some((block) => block.kind === 'answer' && block.text.includes('```'));
}
