/** What is refused on every wire alike: bodies that are no JSON, half characters, unknown models; between them the wire's own judge. */
import { type Issued, invalid, type Judge, loneSurrogate, type Verdict } from '../judge/verdict.ts';
import type { ModelFacts } from './models.ts';
import type { RecordedRequest } from './record.ts';

export function judgeRequest(
  record: RecordedRequest,
  judge: Judge,
  issued: Issued,
  modelOf: (name: string) => ModelFacts | undefined,
): Verdict | undefined {
  if (Object.keys(record.body).length === 0) return invalid('The request body is not valid JSON.');
  if (loneSurrogate(record.body)) return invalid('The request body is not valid JSON: no low surrogate in string');
  if (record.wire === 'anthropic' && record.headers['anthropic-version'] === undefined) {
    return invalid('anthropic-version: header is required');
  }
  const verdict = judge(record.body, issued, record.headers);
  if (verdict !== undefined) return verdict;
  const model = record.conversation.model;
  const facts = modelOf(model);
  if (facts === undefined) return unknownModel(record, model);
  const wish = Number(
    record.body.max_tokens ?? record.body.max_completion_tokens ?? record.body.max_output_tokens ?? 0,
  );
  return wish > facts.maxOutput ? tooMuchOutput(record, wish, facts.maxOutput) : undefined;
}

function unknownModel(record: RecordedRequest, model: string): Verdict {
  return record.wire === 'anthropic'
    ? { status: 404, type: 'not_found_error', message: `model: ${model}` }
    : {
        status: 404,
        type: 'invalid_request_error',
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        code: 'model_not_found',
      };
}

function tooMuchOutput(record: RecordedRequest, wish: number, most: number): Verdict {
  return record.wire === 'anthropic'
    ? invalid(
        `max_tokens: ${wish} > ${most}, which is the maximum allowed number of output tokens for ${record.conversation.model}`,
      )
    : invalid(`${outputField(record)} is too large: ${wish}. This model supports at most ${most} completion tokens.`, {
        code: 'invalid_value',
        param: outputField(record),
      });
}

function outputField({ wire }: RecordedRequest): string {
  return wire === 'chat' ? 'max_tokens' : 'max_output_tokens';
}
