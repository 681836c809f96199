/** Names the message that hands files over, where calls are named that show something. No call has this id. */
import type { CallId } from '@zerd/protocol/common/ids';

export const handedCall = '(handed files)' as CallId;
