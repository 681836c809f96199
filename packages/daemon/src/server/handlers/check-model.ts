/** Whether a model can answer this client, and what is to be done where none can. Pure. */
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { Check } from '@zerd/protocol/common/search';

/** A model is ready when its key is at hand or none is needed; whether a provider takes it is not tried. */
export function checkModel({ file, model, models }: ResultInputOf<'config/read'>): Omit<Check, 'name'> {
  const ready = models.filter((one) => one.ready);
  const [first] = ready;
  if (first === undefined)
    return {
      ok: false,
      says: 'No model has its key.',
      todo: `Set ANTHROPIC_API_KEY or OPENAI_API_KEY, run \`zerd login\`, or describe a provider in ${file}.`,
    };
  const how = `"model": "${first.id}" in ${file} makes one the default.`;
  if (model === null) return { ok: false, says: 'No model is chosen.', todo: how };
  if (models.some(({ id, ready: hasKey }) => id === model && !hasKey))
    return {
      ok: false,
      says: `The key of ${model} is missing.`,
      todo: `Set its variable, run \`zerd login\`, or: ${how}`,
    };
  return {
    ok: true,
    says: `${model} is chosen; ${ready.length} ${ready.length === 1 ? 'model is' : 'models are'} ready. No provider was asked.`,
  };
}
