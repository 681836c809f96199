/**
 * Does: archives the whole body of a tool's result and gives what the model sees of it (I4). Invariant: nothing is shown
 * in part before its whole is safely archived.
 */
import { type AdmitBody, admit } from '@zerd/core/context/admit/admit';
import { type HitsBody, hitsText } from '@zerd/core/context/admit/admit-hits';
import type { Caps } from '@zerd/core/context/admit/caps';
import { utf8Length } from '@zerd/core/text/utf8';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { Archive, Body, SearchAnswer, ToolResult } from '../base/ports.ts';

export interface ResultToAdmit {
  readonly tool: string;
  readonly result: ToolResult;
  readonly archive: Archive;
  readonly caps: Caps;
}

export interface AdmittedResult {
  readonly shown: string;
  /** Undefined: the body is empty. */
  readonly archiveId: ArchiveId | undefined;
  /** Bytes of the whole body. */
  readonly bytes: number;
}

/** Rejects with store_failed when the body could not be archived. */
export async function admitResult({ tool, result, archive, caps }: ResultToAdmit): Promise<AdmittedResult> {
  const { archiveId, bytes } = await keep(result.body, archive);
  const { shown } = admit({
    tool,
    failed: result.outcome !== 'ok',
    body: admitBody(result.body),
    archiveId,
    caps,
    ...(result.head === undefined ? {} : { head: result.head }),
  });
  return { shown, archiveId, bytes };
}

async function keep(
  body: Body,
  archive: Archive,
): Promise<{ readonly archiveId: ArchiveId | undefined; readonly bytes: number }> {
  if (body.kind === 'spool') return { archiveId: await archive.adopt(body.file), bytes: body.totalBytes };
  const text = body.kind === 'text' ? body.text : hitsText(hitsOf(body.answer));
  if (text === '') return { archiveId: undefined, bytes: 0 };
  return { archiveId: await archive.put(text), bytes: utf8Length(text) };
}

function admitBody(body: Body): AdmitBody {
  if (body.kind === 'text') return body;
  if (body.kind === 'hits') return { kind: 'hits', ...hitsOf(body.answer) };
  return { ...body, kind: 'ends' };
}

function hitsOf({ files = [], ...answer }: SearchAnswer): HitsBody {
  return { ...answer, files };
}
