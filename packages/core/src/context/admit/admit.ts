/**
 * Decides what of a tool's result enters the log and so the model's view (I4): bounded, well-formed, and honest about
 * what is missing. Invariant: `shown` takes at most the tool's cap plus the head line; equal input, equal bytes.
 */
import { clipUtf8, utf8Length, wellFormed } from '../../text/utf8.ts';
import { admitHits, type HitsBody } from './admit-hits.ts';
import { admitText, type Cleaning, type Shown } from './admit-text.ts';
import { boundLines, countLines } from './bound-lines.ts';
import { type Caps, capOf } from './caps.ts';
import type { TextBody } from './text-body.ts';

export type AdmitBody =
  | { readonly kind: 'text'; readonly text: string }
  /** Beginning and end of a body too large to look at whole. An empty `tailText`: the head is everything. */
  | {
      readonly kind: 'ends';
      readonly headText: string;
      readonly tailText: string;
      readonly totalBytes: number;
      readonly totalLines: number;
    }
  | ({ readonly kind: 'hits' } & HitsBody);

export interface AdmitInput {
  readonly tool: string;
  readonly failed: boolean;
  readonly body: AdmitBody;
  /** Goes in front, never cut below `headCap`. */
  readonly head?: string;
  /** Under which the whole body can be recalled. */
  readonly archiveId: string | undefined;
  readonly caps: Caps;
}

/** What the head line may take on top of the cap. */
export const headCap = 1_000;

/** These show text of files: a control sequence in it is content. */
const exact = new Set(['read', 'write', 'edit', 'search', 'find', 'skill']);

const wholeLines = new Set(['recall', 'skill', 'mcp']);

/** `whole`: nothing was lost, terminal noise aside. */
export function admit(input: AdmitInput): Shown {
  const { shown, whole } = admitBody(input);
  const text = shown === '' ? '(no output)' : shown;
  const head = input.head === undefined ? '' : `${clipUtf8(input.head, headCap)}\n`;
  return { shown: wellFormed(head + text), whole };
}

function admitBody(input: AdmitInput): Shown {
  const { body, caps, archiveId } = input;
  const cap = capOf(caps, input.tool, input.failed);
  if (body.kind === 'hits') return admitHits(body, { cap, lineCap: caps.line, archiveId });
  const cleaning = cleaningOf(input.tool);
  // A recalled range was cut to size by its tool: a line asked for alone may be long. A skill is followed to the word.
  // What an outside tool answers is mostly one line of JSON.
  const lineCap = wholeLines.has(input.tool) ? cap : caps.line;
  return admitText(boundLines(endsOf(body)), { cap, lineCap, cleaning, archiveId });
}

function cleaningOf(tool: string): Cleaning {
  if (tool === 'recall' || tool === 'task' || tool === 'mcp') return 'sequences';
  return exact.has(tool) ? 'none' : 'all';
}

function endsOf(body: Exclude<AdmitBody, { kind: 'hits' }>): TextBody {
  if (body.kind === 'ends') return { ...body, head: body.headText, tail: body.tailText };
  return { head: body.text, tail: '', totalBytes: utf8Length(body.text), totalLines: countLines(body.text) };
}
