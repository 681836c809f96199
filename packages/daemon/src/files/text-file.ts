/** Loads a file as text, with everything that a later write must keep. Binary files are named, never decoded. */
import { detectEol, type EolFacts } from '@zerd/core/text/lines';
import { decode, detectEncoding, type Encoding } from './encoding.ts';
import { guessType } from './file-type.ts';
import { bytesText, type LoadedFile, type LoadFailure, loadFile } from './load-file.ts';

export interface TextFile extends LoadedFile {
  readonly encoding: Encoding;
  /** As `decode` gives it: without its mark, endings as they are. */
  readonly text: string;
  readonly eol: EolFacts;
}

export type TextFailure = LoadFailure | { readonly ok: false; readonly kind: 'binary'; readonly message: string };

/** `real` is a resolved path, `path` its name for the model. Rejects with the signal's reason when aborted. */
export async function loadText(real: string, path: string, signal: AbortSignal): Promise<TextFile | TextFailure> {
  const file = await loadFile(real, path, signal);
  return file.ok ? asText(path, file) : file;
}

export function asText(path: string, file: LoadedFile): TextFile | TextFailure {
  const encoding = detectEncoding(file.bytes);
  if (encoding === 'binary') return binary(path, file.bytes, file.bytes.length);
  const text = decode(file.bytes, encoding);
  return { ...file, encoding, text, eol: detectEol(text) };
}

/** `bytes` are the first of the file. */
export function binary(path: string, bytes: Buffer, size: number): TextFailure {
  return { ok: false, kind: 'binary', message: `${path} is no text but ${guessType(bytes)}, ${bytesText(size)}.` };
}
