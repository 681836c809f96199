/**
 * Says where the prompt shows an image already, so that it is not sent twice. Invariant (I5): what is pointed at is in the
 * rendered transcript, and a result that is leaned on stays as long as what leans on it.
 */
import type { ArchiveId, CallId } from '@zerd/protocol/common/ids';
import { shownImages } from '../session/images.ts';
import type { SessionState } from '../session/state.ts';
import { visibleResults } from './visible.ts';

export interface ImageShown {
  /** `call 7`, or the message of the user. */
  readonly where: string;
  readonly leansOn: readonly CallId[];
}

/** Undefined: it has to be shown. */
export function imageShown(state: SessionState, archiveId: ArchiveId): ImageShown | undefined {
  const found = shownImages(state).findLast(({ image }) => image.archiveId === archiveId);
  if (found === undefined) return undefined;
  const { callId } = found;
  if (callId === undefined) return { where: 'the message of the user', leansOn: [] };
  return { where: `call ${visibleResults(state).get(callId)?.number ?? ''}`, leansOn: [callId] };
}
