/** Why a turn is ended from outside: the reason of its signal, and the text that the log gets. */

export const byUser = 'interrupted by the user';
export const daemonStops = 'the daemon is stopping';

/** The turn is not over: the next daemon goes on with it. */
export const handedOver = 'the daemon stopped; the next one goes on with the turn';

export function isHandedOver({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === handedOver;
}
