/**
 * The one mapping between failures and JSON-RPC errors, for both ends. Invariant: only what is expected travels with its
 * message; a defect goes out as internal_error without message or stack, and the log has both.
 */
import { types } from 'node:util';
import { type ErrorCode, errorTable, isZerdError, ZerdError } from '../common/errors.ts';

export interface WireError {
  readonly code: number;
  readonly message: string;
  /** The name of the code, for people outside. */
  readonly data: { readonly code: ErrorCode };
}

export function toWire(error: unknown): WireError {
  const known = isZerdError(error) ? error : defect();
  return { code: errorTable[known.code].number, message: known.message, data: { code: known.code } };
}

function defect(): ZerdError {
  const { meaning, todo } = errorTable.internal_error;
  return new ZerdError('internal_error', `${meaning} ${todo}`);
}

/** What a request was rejected with, as a ZerdError: the daemon's answer, or the end of the connection. */
export function fromWire(error: unknown): ZerdError {
  if (isZerdError(error)) return error;
  const { code, message } = partsOf(error);
  const name = codes.get(code);
  if (name) return new ZerdError(name, message);
  // Everything else is vscode-jsonrpc's own: closed, disposed or a failed write.
  return new ZerdError('disconnected', `${errorTable.disconnected.meaning} ${errorTable.disconnected.todo}`);
}

const codes: ReadonlyMap<unknown, ErrorCode> = new Map(
  Object.entries(errorTable).map(([name, { number }]) => [number, name as ErrorCode]),
);

function partsOf(error: unknown): { code: unknown; message: string } {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return { code, message: types.isNativeError(error) ? error.message : String(error) };
}
