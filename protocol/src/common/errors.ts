/**
 * The closed table of everything that is expected to go wrong: one name, one number on the wire, what it means,
 * whether trying again unchanged can help, and what the user can do. Throw sites name the code and give the particulars.
 */
export interface ErrorRow {
  /** The JSON-RPC error number. -32700 to -32600 are the protocol's own; zerd's begin at -32001. */
  readonly number: number;
  readonly meaning: string;
  readonly retryable: boolean;
  readonly todo: string;
}

const row = (number: number, meaning: string, retryable: boolean, todo: string): ErrorRow => ({
  number,
  meaning,
  retryable,
  todo,
});

export const errorTable = {
  parse_error: row(-32700, 'The message was not JSON.', false, 'Send well-formed JSON-RPC 2.0.'),
  invalid_request: row(-32600, 'The message was not a request.', false, 'Send well-formed JSON-RPC 2.0.'),
  unknown_method: row(-32601, 'There is no such method.', false, 'See `zerd rpc --list`.'),
  invalid_params: row(-32602, 'The parameters do not fit the method.', false, 'See `zerd rpc METHOD --help`.'),
  internal_error: row(
    -32603,
    'A defect in zerd.',
    false,
    'See the daemon log, which `zerdd status` names; the daemon lives on.',
  ),
  not_initialized: row(-32001, 'The first request must be `initialize`.', false, 'Send `initialize` first.'),
  version_unsupported: row(
    -32002,
    'Client and daemon share no protocol version.',
    false,
    'Update the older of the two.',
  ),
  untrusted: row(-32003, 'The repository is not trusted.', false, 'Run `zerd trust`, or pass --trust for one run.'),
  unknown_session: row(-32004, 'There is no such session here.', false, 'See `zerd sessions`.'),
  unknown_turn: row(-32005, 'There is no such running turn.', false, 'Read the session again.'),
  turn_running: row(-32006, 'The session is already running a turn.', true, 'Wait for it, or interrupt it.'),
  unknown_approval: row(-32007, 'There is no such approval.', false, 'Read the session again.'),
  already_resolved: row(-32008, 'It was answered or settled before.', false, 'Nothing to do: what is settled stays.'),
  unknown_job: row(-32022, 'There is no such job.', false, 'See `zerd jobs`.'),
  unknown_archive: row(-32009, 'Nothing is archived under this id.', false, 'Use an id that a result named.'),
  unknown_model: row(
    -32010,
    'No provider offers this model.',
    false,
    'Name one as provider/model; see `zerd rpc config/read`.',
  ),
  key_missing: row(
    -32011,
    'The provider needs a key and none was found.',
    false,
    'Set the named variable or run `zerd login`, then run again.',
  ),
  config_broken: row(
    -32012,
    'The user configuration cannot be read.',
    false,
    'Mend the named file; nothing was changed.',
  ),
  folder_missing: row(-32013, 'The working folder is gone.', false, 'Restore it or start in another folder.'),
  store_failed: row(
    -32014,
    'The store could not commit.',
    true,
    'See `zerd doctor`: it says what is wrong and what to do.',
  ),
  disk_full: row(
    -32023,
    'The disk is full.',
    true,
    'Free space: what runs goes on by itself. Nothing acknowledged is lost.',
  ),
  store_unsafe: row(-32015, 'The state folder cannot keep promises.', false, 'Set XDG_STATE_HOME to a local disk.'),
  limit_reached: row(
    -32016,
    'A limit that the user set was reached.',
    false,
    'Raise the limit and continue the session.',
  ),
  shutting_down: row(-32017, 'The daemon is stopping.', true, 'Ask again: a new daemon starts by itself.'),
  message_too_large: row(-32018, 'The message exceeds the size or depth limit.', false, 'Send less at once.'),
  disconnected: row(-32019, 'The connection closed before the answer.', true, 'Connect again and read the session.'),
  daemon_unavailable: row(
    -32020,
    'No daemon could be reached or started.',
    true,
    'See which daemons run with `zerdd list`.',
  ),
  installation_broken: row(
    -32021,
    'The installation of zerd is not whole.',
    false,
    'Mend it as the message says, or install zerd again.',
  ),
  provider_unreachable: row(-32030, 'The provider could not be reached.', true, 'Check the address and the network.'),
  provider_timeout: row(
    -32031,
    'The provider kept silent past a deadline.',
    true,
    'Continue the session to try again.',
  ),
  provider_truncated: row(-32032, 'The answer broke off before its end.', true, 'Continue the session to try again.'),
  provider_malformed: row(-32033, 'The endpoint does not speak the expected wire.', false, 'Check baseUrl and wire.'),
  provider_auth: row(-32034, 'The provider refused the key.', false, 'Check the key and its rights.'),
  provider_rate_limited: row(-32035, 'The provider limits the rate.', true, 'Wait, or use another model.'),
  provider_overloaded: row(-32036, 'The provider is overloaded.', true, 'Wait, or use another model.'),
  provider_quota: row(-32037, 'The account has reached its spending limit.', false, 'Top up or raise the limit.'),
  provider_rejected: row(-32038, 'The provider refused the request.', false, 'Read its message.'),
  provider_image_refused: row(
    -32042,
    'The provider refused an image.',
    false,
    'Show a smaller or another one; the conversation goes on without it.',
  ),
  provider_failed: row(-32039, 'The provider failed.', true, 'Continue the session to try again.'),
  context_overflow: row(
    -32040,
    'The conversation exceeds the window of the model.',
    false,
    'Choose a model with a larger window or start a new session.',
  ),
  window_too_small: row(
    -32041,
    'The window of the model has no room beside what goes with every request.',
    false,
    'Give the model a larger window, or choose another one.',
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** An expected failure on its way to a client. `message` says what happened, what was kept and what to do next. */
export class ZerdError extends Error {
  override readonly name = 'ZerdError';
  readonly code: ErrorCode;
  /** `cause`: what the system said; it does not travel. */
  constructor(code: ErrorCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Cross-realm safe: errors that travelled through another copy of this module still count. */
export function isZerdError(value: unknown): value is ZerdError {
  return (
    typeof value === 'object' && value !== null && 'name' in value && value.name === 'ZerdError' && 'code' in value
  );
}
