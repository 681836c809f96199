/** What a new user has to know before the first word, and nothing more. Each thing that is missing comes with what to do. */
import type { ZerdClient } from '@zerd/protocol/node/client';

export interface WelcomeWish {
  /** Trusted for this run. */
  readonly trust: boolean;
  readonly isNew: boolean;
}

export async function welcome(client: ZerdClient, { trust, isNew }: WelcomeWish): Promise<readonly string[]> {
  const [{ trusted, root }, { models, model, warnings, file }] = await Promise.all([
    client.request('trust/read', {}),
    client.request('config/read', {}),
  ]);
  const ready = models.filter((one) => one.ready);
  const chosen = models.find(({ id }) => id === model);
  return [
    ...(isNew ? [`zerd in ${root}`] : []),
    ...(trusted || trust
      ? []
      : [
          'This repository is not trusted yet, so nothing of it is read or run: /trust trusts it, --trust does for one run.',
        ]),
    ...(model === null && ready.length > 0
      ? [`No model is chosen: "model": "${ready[0]?.id}" in ${file} makes one the default, or start with --model.`]
      : []),
    ...(ready.length === 0
      ? [
          `No model has its key: set ANTHROPIC_API_KEY or OPENAI_API_KEY and start again, run \`zerd login\`, or name a provider in ${file}.`,
        ]
      : chosen?.ready === false
        ? [`The key of ${chosen.id} is missing: set its variable, or choose another with --model.`]
        : []),
    ...warnings,
  ];
}
