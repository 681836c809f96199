/** What a provider answers instead of an answer, in its own words. */
import { errorAnthropic } from '../speak/speak-anthropic.ts';
import { errorChat } from '../speak/speak-chat.ts';
import type { Dialect, Json } from '../wire.ts';
import type { Fault, RefusalFault } from './fault.ts';

/** A whole response that is no answer of a model. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { 'content-type': 'application/json' };
const page =
  '<!DOCTYPE html>\n<html><head><title>Proxy</title></head><body><h1>Something went wrong</h1></body></html>\n';

export function refusalOf(faults: readonly Fault[], wire: Dialect): Refusal | undefined {
  const fault = faults.find(isRefusal);
  return fault === undefined ? undefined : refuse(fault, wire);
}

/** An error with a status in the form of the dialect. `code` is OpenAI's; on anthropic it is `error.details.error_code`. */
export function errorRefusal(
  wire: Dialect,
  error: {
    readonly status: number;
    readonly type: string;
    readonly message: string;
    readonly code?: string;
    readonly param?: string;
  },
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  const details = error.code === undefined ? undefined : { error_code: error.code };
  // ChatGPT's backend says what is wrong with a request in a form of its own.
  const body: Json =
    wire === 'anthropic'
      ? errorAnthropic(error.type, error.message, details)
      : wire === 'codex' && error.type === 'invalid_request_error'
        ? { detail: error.message }
        : errorChat(error.type, error.message, error.code ?? null, error.param ?? null);
  return { status: error.status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}

/** The texts by which clients know that a prompt is longer than the window. */
export function overflowRefusal(wire: Dialect, tokens: number, window: number): Refusal {
  if (wire === 'responses' || wire === 'codex') {
    const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
    // Never `detail`: this one is passed on from the model's server.
    const error = {
      status: 400,
      type: 'invalid_request_error',
      message,
      code: 'context_length_exceeded',
      param: 'input',
    };
    return errorRefusal('responses', error);
  }
  return wire === 'anthropic'
    ? errorRefusal(wire, {
        status: 400,
        type: 'invalid_request_error',
        message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
      })
    : errorRefusal(wire, {
        status: 400,
        type: 'invalid_request_error',
        message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        code: 'context_length_exceeded',
        param: 'messages',
      });
}

const refusalKinds: readonly string[] = [
  'status',
  'rate-limit',
  'overloaded',
  'bad-key',
  'spend-limit',
  'overflow',
  'html',
];

function isRefusal(fault: Fault): fault is RefusalFault {
  return refusalKinds.includes(fault.kind);
}

function refuse(fault: RefusalFault, wire: Dialect): Refusal {
  const anthropic = wire === 'anthropic';
  switch (fault.kind) {
    case 'status': {
      const {
        status,
        type = status >= 500 ? 'api_error' : 'invalid_request_error',
        message = `Status ${status}`,
        code,
      } = fault;
      return errorRefusal(wire, { status, type, message, ...(code === undefined ? {} : { code }) }, fault.headers);
    }
    case 'rate-limit': {
      const headers: Record<string, string> = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
      const type = anthropic ? 'rate_limit_error' : 'requests';
      const code = anthropic ? {} : { code: 'rate_limit_exceeded' };
      return errorRefusal(wire, { status: 429, type, message: 'Rate limit reached for requests', ...code }, headers);
    }
    case 'overloaded':
      return anthropic
        ? errorRefusal(wire, { status: 529, type: 'overloaded_error', message: 'Overloaded' })
        : errorRefusal(wire, {
            status: 503,
            type: 'server_error',
            message: 'The engine is currently overloaded, please try again later',
          });
    case 'bad-key':
      return badKey(wire, anthropic ? 'invalid x-api-key' : 'Incorrect API key provided');
    case 'spend-limit':
      if (wire === 'codex') return usageLimit();
      return anthropic
        ? errorRefusal(wire, {
            status: 429,
            type: 'rate_limit_error',
            message: 'You have reached your spend limit.',
            code: 'enforced_spend_limit_reached',
          })
        : errorRefusal(wire, {
            status: 429,
            type: 'insufficient_quota',
            message: 'You exceeded your current quota, please check your plan and billing details.',
            code: 'insufficient_quota',
          });
    case 'overflow':
      return overflowRefusal(wire, 200_001, 200_000);
    case 'html':
      return { status: fault.status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page };
  }
}

/** A spent plan at ChatGPT's backend. */
function usageLimit(): Refusal {
  const message = 'The usage limit has been reached';
  const error = { type: 'usage_limit_reached', message, plan_type: 'plus', resets_at: 1_900_000_000 };
  return { status: 429, headers: json, body: JSON.stringify({ error }) };
}

export function badKey(wire: Dialect, message: string): Refusal {
  return wire === 'anthropic'
    ? errorRefusal(wire, { status: 401, type: 'authentication_error', message })
    : errorRefusal(wire === 'codex' ? 'responses' : wire, {
        status: 401,
        type: 'invalid_request_error',
        message,
        code: 'invalid_api_key',
      });
}
