/**
 * Where servers on one's own machine say how many tokens they really take (as of 2026-11-29). What a model could take at
 * most is no answer: Ollama loads it with far less and then drops the oldest messages in silence.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { countOf, listOf, objectOf, textOf } from '../json/fields.ts';

export interface WindowQuestion {
  readonly server: string;
  /** From the server's root. */
  readonly path: string;
  /** Absent: a GET. */
  readonly body?: JsonObject;
  /** Tokens; undefined: this answer does not say. */
  readonly read: (answer: JsonValue) => number | undefined;
}

/** In the order in which they are to be asked: the first that says something holds. */
export function windowQuestions(modelId: string): readonly WindowQuestion[] {
  return [
    { server: 'Ollama', path: '/api/ps', read: (answer) => ofModel(answer, 'models', modelId, 'context_length') },
    { server: 'Ollama', path: '/api/show', body: { model: modelId }, read: fromModelfile },
    { server: 'llama.cpp', path: '/props', read: fromProps },
    {
      server: 'LM Studio',
      path: '/api/v0/models',
      read: (answer) => ofModel(answer, 'data', modelId, 'loaded_context_length'),
    },
    { server: 'vLLM', path: '/v1/models', read: (answer) => ofModel(answer, 'data', modelId, 'max_model_len') },
  ];
}

/** Ollama's names without a tag mean the tag `latest`. */
function ofModel(answer: JsonValue, list: string, modelId: string, field: string): number | undefined {
  const wanted = new Set([modelId, `${modelId}:latest`]);
  const model = listOf(answer, list).find((one) =>
    ['id', 'model', 'name'].some((key) => wanted.has(textOf(one, key) ?? '')),
  );
  return positive(countOf(model, field));
}

/** Parameters of a Modelfile, one a line. */
function fromModelfile(answer: JsonValue): number | undefined {
  const [, tokens] = /^num_ctx\s+(\d+)\s*$/m.exec(textOf(answer, 'parameters') ?? '') ?? [];
  return tokens === undefined ? undefined : positive(Number(tokens));
}

function fromProps(answer: JsonValue): number | undefined {
  return positive(countOf(objectOf(answer, 'default_generation_settings'), 'n_ctx') ?? countOf(answer, 'n_ctx'));
}

function positive(tokens: number | undefined): number | undefined {
  return tokens !== undefined && tokens > 0 ? tokens : undefined;
}
