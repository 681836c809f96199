/** A list to choose from, or a text to read, over the transcript. Escape leaves it. */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Input } from '../screen/port.ts';
import { type Line, lineText, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit, wrap } from '../text/wrap.ts';

export interface Overlay {
  lines(columns: number, rows: number): readonly Line[];
  /** 'close': it has had its time. */
  take(input: Input): 'taken' | 'close';
  /** It is no longer shown. */
  closed?(): void;
}

export interface Item {
  readonly label: string;
  readonly detail: string;
  readonly value: string;
  /** What is not shown of it, but found when it is typed. */
  readonly find?: string;
}

export interface PickerWish {
  readonly title: string;
  items(): readonly Item[];
  pick(value: string): void;
}

export function createPicker({ title, items, pick }: PickerWish): Overlay {
  let filter = '';
  let at = 0;
  /** What stands under the bar: it stays there when the items change. */
  let chosenValue: string | undefined;
  const moveTo = (next: number) => {
    at = next;
    chosenValue = undefined;
  };
  const matching = () => {
    const wanted = filter.toLowerCase();
    return items().filter(({ label, detail, find = '' }) =>
      `${label} ${detail} ${find}`.toLowerCase().includes(wanted),
    );
  };
  return {
    lines(columns, rows) {
      const all = matching();
      const same = chosenValue === undefined ? -1 : all.findIndex(({ value }) => value === chosenValue);
      at = Math.max(0, Math.min(same < 0 ? at : same, all.length - 1));
      chosenValue = all[at]?.value;
      const room = Math.max(1, rows - 2);
      const from = Math.max(0, Math.min(at - Math.floor(room / 2), all.length - room));
      const shown = all.slice(from, from + room).map(({ label, detail }, index) => {
        const chosen = from + index === at;
        const line = [span(` ${sanitiseLine(label)}  `), span(sanitiseLine(detail), theme.dim)];
        return fit(chosen ? line.map(({ text }) => span(text, theme.selected)) : line, columns);
      });
      const none: readonly Line[] = all.length === 0 ? [fit([span(' nothing fits', theme.dim)], columns)] : [];
      const hint = filter === '' ? 'type to filter, Enter chooses, Esc leaves' : filter;
      return [fit([span(` ${title}  `, theme.strong), span(hint, theme.dim)], columns), ...none, ...shown];
    },
    take(input) {
      if (input.kind === 'wheel') moveTo(at + Math.sign(input.lines));
      if (input.kind !== 'key') return 'taken';
      const { name, text, ctrl } = input.key;
      if (name === 'escape' || (ctrl && name === 'c')) return 'close';
      if (name === 'enter') {
        const all = matching();
        const chosen = all.find(({ value }) => value === chosenValue) ?? all[at];
        if (chosen !== undefined) pick(chosen.value);
        return 'close';
      }
      if (name === 'up' || (ctrl && name === 'p')) moveTo(at - 1);
      else if (name === 'down' || (ctrl && name === 'n')) moveTo(at + 1);
      else if (name === 'pageup') moveTo(at - 10);
      else if (name === 'pagedown') moveTo(at + 10);
      else if (name === 'backspace') filter = filter.slice(0, -1);
      else if (text !== '' && !ctrl) {
        filter += text;
        moveTo(0);
      }
      return 'taken';
    },
  };
}

/** How the lines of a page become rows. */
export interface PageWish {
  /** Where a line that is longer than a row may break; never: it is cut. Default: between words. */
  readonly breaks?: 'words' | 'anywhere' | 'never';
  /** Columns before the further rows of a line. Default: a little more than the line's own indent. */
  readonly hang?: number;
}

/** `text` has passed `sanitise`, or is lines already. */
export function createPager(title: string, content: () => readonly Line[], wish: PageWish = {}): Overlay {
  let from = 0;
  let height = 10;
  return {
    lines(columns, rows) {
      height = Math.max(1, rows - 1);
      const all = content().flatMap((line) => pageRows(line, columns, wish));
      from = Math.max(0, Math.min(from, all.length - height));
      const place = all.length <= height ? '' : `${from + 1}-${Math.min(all.length, from + height)} of ${all.length}, `;
      return [
        fit([span(` ${title}  `, theme.strong), span(`${place}Esc leaves`, theme.dim)], columns),
        ...all.slice(from, from + height),
      ];
    },
    take(input) {
      if (input.kind === 'wheel') from += input.lines;
      if (input.kind !== 'key') return 'taken';
      const { name, ctrl } = input.key;
      if (name === 'escape' || name === 'q' || name === 'enter' || (ctrl && name === 'c')) return 'close';
      if (name === 'up' || name === 'k') from -= 1;
      if (name === 'down' || name === 'j') from += 1;
      if (name === 'pageup') from -= height;
      if (name === 'pagedown' || name === 'space') from += height;
      if (name === 'home' || name === 'g') from = 0;
      if (name === 'end') from = Number.MAX_SAFE_INTEGER;
      return 'taken';
    },
  };
}

function pageRows(line: Line, columns: number, { breaks = 'words', hang }: PageWish): readonly Line[] {
  if (breaks === 'never') return [fit(line, columns)];
  const indent = /^ */.exec(lineText(line))?.[0].length ?? 0;
  const wanted = hang ?? indent + 2;
  const room = wanted > columns / 2 ? 2 : wanted;
  return wrap(line, { columns, anywhere: breaks === 'anywhere', hang: ' '.repeat(room) });
}

export function textLines(text: string): readonly Line[] {
  return text.split('\n').map((line) => [span(line.replaceAll('\t', '    '))]);
}
