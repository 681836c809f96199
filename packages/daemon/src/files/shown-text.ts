/** The text as which the model is shown a file: with LF, and a notebook as its cells. Equal bytes, equal text. */

import { cellsText } from '@zerd/core/notebook/cells-text';
import { toLf } from '@zerd/core/text/lines';
import { decode, detectEncoding, type Encoding, show } from './encoding.ts';

export interface ShownText {
  readonly text: string;
  /** Cells of a notebook; undefined: it is none. */
  readonly cells: number | undefined;
}

export function shownText(path: string, file: { readonly text: string; readonly encoding: Encoding }): ShownText {
  const text = toLf(show(file.text, file.encoding));
  const notebook = path.endsWith('.ipynb') ? cellsText(text) : undefined;
  return notebook ?? { text, cells: undefined };
}

/** Of bytes that were a text file once; undefined: they are none. */
export function shownTextOf(path: string, bytes: Buffer): string | undefined {
  const encoding = detectEncoding(bytes);
  return encoding === 'binary' ? undefined : shownText(path, { text: decode(bytes, encoding), encoding }).text;
}
