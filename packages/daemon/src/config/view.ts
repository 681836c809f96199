/** Shows the settings in force, without any secret, as `config/read` answers them. */
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { Config } from './load.ts';
import { describeKnown, describeModels, type ResolvedModel, usualModel } from './models.ts';
import { networkWarnings } from './network.ts';
import { folderWarnings } from './other-folder.ts';

/** `env` is the client's: it decides which models have their key. `known` completes a model with what its server said. */
export function viewConfig(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  known: (model: ResolvedModel) => ResolvedModel = (model) => model,
): ResultInputOf<'config/read'> {
  const broken = [config.broken, config.stored?.broken()].filter((why) => why !== undefined);
  return {
    file: config.file,
    model: usualModel(config, env) ?? null,
    models: [...describeModels(config, env, known)],
    warnings: [
      ...broken,
      ...config.warnings,
      ...strangers(config),
      ...folderWarnings(config.file, env),
      ...networkWarnings(env),
    ],
  };
}

/** Models that are named and that nobody offers. */
function strangers(config: Config): readonly string[] {
  const named = [
    ['model', config.model],
    ['context.summarizer', config.summarizer],
  ] as const;
  return named.flatMap(([field, ref]) =>
    ref === undefined || describeKnown(config, ref) !== undefined
      ? []
      : [`${config.file}: ${field} names ${JSON.stringify(ref)}, which no provider offers.`],
  );
}
