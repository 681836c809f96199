/** Session ids as people type them: checked for their prefix, then branded. */
import type { SessionId } from '@zerd/protocol/common/ids';

export function asSessionId(text: string): SessionId;
export function asSessionId(text: string | undefined): SessionId | undefined;
export function asSessionId(text: string | undefined): SessionId | undefined {
  return text as SessionId | undefined;
}

export function sessionComplaint(text: string | undefined): string | undefined {
  return text === undefined || text.startsWith('ses_')
    ? undefined
    : `'${text}' is no session id: they begin with ses_.`;
}
