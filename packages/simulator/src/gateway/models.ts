/** The models that a gateway serves. `*` stands for any other name. */

export interface ModelFacts {
  /** Tokens of a prompt at most. */
  readonly window: number;
  readonly maxOutput: number;
}

export type Models = Readonly<Record<string, ModelFacts>>;

export const simModels: Models = { sim: { window: 200_000, maxOutput: 64_000 } };

export function modelLookup(models: Models): (name: string) => ModelFacts | undefined {
  return (name) => (Object.hasOwn(models, name) ? models[name] : models['*']);
}
