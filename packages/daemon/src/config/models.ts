/**
 * Decides which model a reference means, where it is spoken and with which key. Keys come from the client's environment
 * or the user's file and stay in the endpoint; no address but a proxy's comes from an environment (S-23). Invariant: what is unknown of
 * a model is null, never guessed.
 */

import { type Price, priceFromUsd } from '@zerd/core/accounting/price';
import { outputWithin } from '@zerd/core/context/relieve/ceiling';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { type CacheFacts, usualCacheFacts } from '@zerd/core/model/cache-facts';
import { type CatalogRow, catalogRows, findModel } from '@zerd/core/model/catalog';
import { imageRuleOf, usualImageRule } from '@zerd/core/model/image-facts';
import type { ImageRule } from '@zerd/core/model/image-tokens';
import { localServerAt, providerAt } from '@zerd/core/model/known-hosts';
import type { ModelSettings } from '@zerd/core/model/prompt';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { AccessToken, Endpoint, Wire } from '@zerd/providers/provider';
import type { Config } from './load.ts';
import { networkOf } from './network.ts';
import type { ModelConfig, ProviderConfig } from './schema.ts';
import { requireFitting } from './unfit-key.ts';

/** The environment in which keys are looked for: the client's. */
type Env = Readonly<Record<string, string | undefined>>;

export interface ResolvedModel {
  /** provider/model, as the log keeps it. */
  readonly ref: string;
  readonly provider: string;
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  /** The provider's own name of the model. */
  readonly modelId: string;
  readonly contextWindow: number | null;
  /** What one request asks for at most. */
  readonly maxOutput: number;
  readonly price: Price | null;
  /** How its provider caches, as the catalogue and the user say; null: nobody says. */
  readonly row: CacheFacts | null;
  /** How it counts images; null: it is not known to see any. */
  readonly images: ImageRule | null;
}

interface BuiltIn {
  readonly wire: Wire;
  /** The variable that holds its key; undefined: there is none, its user signs in. */
  readonly keyName: string | undefined;
  /** Whose models it offers; absent: its own. They have no price there: a plan pays for them. */
  readonly planFor?: string;
  readonly flags?: Pick<Endpoint, 'codex' | 'plan'>;
  /** Taken when the user names none and this key is at hand. */
  readonly usualModel: string;
  /** For models that are not in the catalogue: what all of this provider's current ones give (2026-11). */
  readonly maxOutput: number;
}

const builtIns: Readonly<Record<string, BuiltIn>> = {
  anthropic: { wire: 'anthropic', keyName: 'ANTHROPIC_API_KEY', usualModel: 'claude-sonnet-5-5', maxOutput: 32_000 },
  openai: { wire: 'responses', keyName: 'OPENAI_API_KEY', usualModel: 'gpt-5.5', maxOutput: 16_384 },
  chatgpt: planOf('openai', { plan: true }, 'gpt-5.5'),
  codex: planOf('openai', { codex: true }, 'gpt-6.2-sol'),
};

/** What a ChatGPT plan pays for: through the API (the documented way), and through the backend of OpenAI's own client. */
function planOf(planFor: string, flags: BuiltIn['flags'], usualModel: string): BuiltIn {
  return { wire: 'responses', keyName: undefined, planFor, ...(flags && { flags }), usualModel, maxOutput: 16_384 };
}

/** Longer answers are rare, and providers count what is asked for against the rate limit. */
const mostOutput = 32_000;
/** What servers that nobody described take without refusing. */
const unknownOutput = 8192;

/** Throws config_broken, unknown_model or key_missing, each saying what to do. */
export function resolveModel(config: Config, ref: string | undefined, env: Env): ResolvedModel {
  const model = describeModel(config, ref ?? usualRef(config, env));
  const key = keyOf(config, model.provider, env);
  if (key.kind === 'missing') throw keyMissing(config, model.ref, key.variable);
  if (key.kind === 'found') requireFitting(model.ref, key.value, placeOf(key, config));
  const own = definedOf({
    apiKey: key.kind === 'found' ? key.value : undefined,
    token: key.kind === 'signedIn' ? key.token : undefined,
    network: networkOf(env),
  });
  return { ...model, endpoint: { ...model.endpoint, ...own } };
}

/** Where a known reference leads and with which settings, without any key: for showing what would be sent. */
export function describeEndpoint(
  config: Config,
  ref: string,
  known: (model: ResolvedModel) => ResolvedModel = (model) => model,
): { readonly endpoint: Endpoint; readonly settings: ModelSettings } {
  const model = known(describeModel(config, ref));
  return { endpoint: model.endpoint, settings: settingsOf(model) };
}

/** What a model's requests carry beside the prompt. */
export function settingsOf({ modelId, maxOutput, row, images }: ResolvedModel): ModelSettings {
  return {
    modelId,
    maxOutput,
    ...(row?.bindsReasoning === true ? { bindsReasoning: true } : {}),
    ...(images === null ? {} : { seesImages: true }),
  };
}

/** All of it but the key; undefined: the settings no longer name it. */
export function describeKnown(config: Config, ref: string): ResolvedModel | undefined {
  try {
    return describeModel(config, ref);
  } catch (error) {
    if (isZerdError(error)) return undefined;
    throw error;
  }
}

export interface DescribedModel {
  readonly id: string;
  readonly wire: Wire;
  readonly contextWindow: number | null;
  readonly priced: boolean;
  /** How long the provider keeps a prompt without use; at least so long. */
  readonly cacheMs: number;
  /** A key is at hand, or none is needed. */
  readonly ready: boolean;
}

/** The models that are known by name; the built-in providers take others too. `known` adds what servers said of them. */
export function describeModels(
  config: Config,
  env: Env,
  known: (model: ResolvedModel) => ResolvedModel = (model) => model,
): readonly DescribedModel[] {
  return knownRefs(config).map((ref) => {
    const model = known(describeModel(config, ref));
    const { provider, wire, contextWindow, price } = model;
    const { cacheMs } = plannerModel(model);
    const ready = keyOf(config, provider, env).kind !== 'missing';
    return { id: ref, wire, contextWindow, priced: price !== null, cacheMs, ready };
  });
}

/** The variables that hold providers' keys: no tool sees them (S-65). */
export function providerKeyNames(config: Config): readonly string[] {
  const own = Object.values(builtIns).flatMap(({ keyName }) => keyName ?? []);
  return [...new Set([...own, ...config.keyNames])];
}

/** The key is not in it yet. */
function describeModel(config: Config, ref: string): ResolvedModel {
  if (config.broken !== undefined) throw new ZerdError('config_broken', config.broken);
  const [, name = '', modelId = ''] = /^([^/]+)\/(.+)$/s.exec(ref) ?? [];
  const custom = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  if (custom !== undefined && modelId !== '') return customModel(config, name, custom, modelId);
  const builtIn = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
  if (builtIn === undefined || modelId === '') throw unknownModel(config, ref);
  return builtInModel(name, builtIn, modelId, config.today);
}

function builtInModel(provider: string, builtIn: BuiltIn, modelId: string, today?: string): ResolvedModel {
  const { wire, maxOutput, planFor, flags } = builtIn;
  const row = findModel(planFor ?? provider, modelId, today);
  const contextWindow = row?.contextWindow ?? null;
  return {
    ref: `${provider}/${modelId}`,
    provider,
    wire,
    endpoint: { wire, ...flags, ...diagnosisOf(wire, row) },
    modelId,
    contextWindow,
    maxOutput: outputWithin(contextWindow, Math.min(row?.maxOutput ?? maxOutput, mostOutput)),
    // What a plan pays for has no price by the token, and is never shown as free (I11).
    price: planFor === undefined ? (row?.price ?? null) : null,
    row,
    images: imageRuleOf(planFor ?? provider, modelId),
  };
}

function customModel(config: Config, name: string, provider: ProviderConfig, modelId: string): ResolvedModel {
  const { wire, baseUrl, promptCacheKey, leakedCalls, codex, plan, models = [] } = provider;
  const switches = { promptCacheKey, leakedCalls, codex, plan };
  const model = models.find((one) => one.id === modelId);
  if (model === undefined && models.length > 0) throw unknownModel(config, `${name}/${modelId}`);
  const known = catalogued(baseUrl, modelId, config.today);
  const row = cacheFacts(baseUrl, known, model);
  const contextWindow = model?.contextWindow ?? known?.contextWindow ?? null;
  const usualOutput = known === null ? unknownOutput : Math.min(known.maxOutput, mostOutput);
  return {
    ref: `${name}/${modelId}`,
    provider: name,
    wire,
    endpoint: { wire, baseUrl, ...definedOf(switches), ...diagnosisOf(wire, row) },
    modelId,
    contextWindow,
    maxOutput: outputWithin(contextWindow, model?.maxOutput ?? usualOutput),
    price: priceOf(config, model) ?? known?.price ?? null,
    row,
    images: imagesOf(baseUrl, modelId, model),
  };
}

/** Another name for a provider's own address changes nothing of its models. */
function catalogued(baseUrl: string, modelId: string, today?: string): CatalogRow | null {
  const provider = providerAt(baseUrl);
  return provider === null ? null : findModel(provider, modelId, today);
}

/** The user's word wins; without any, and without a row, nothing is known. */
function cacheFacts(baseUrl: string, row: CatalogRow | null, model: ModelConfig | undefined): CacheFacts | null {
  const { minPrefix, cacheMs, reportsCache, bindsReasoning, diagnosis } = model ?? {};
  const local = localServerAt(baseUrl);
  const said = {
    ...(local === null ? {} : { reportsCache: local.reportsCache }),
    ...definedOf({ minPrefix, cacheMs, reportsCache, bindsReasoning, diagnosis }),
  };
  return row === null && Object.keys(said).length === 0 ? null : { ...(row ?? usualCacheFacts), ...said };
}

/** The user's word wins. */
function imagesOf(baseUrl: string, modelId: string, model: ModelConfig | undefined): ImageRule | null {
  const provider = providerAt(baseUrl);
  const rule = provider === null ? null : imageRuleOf(provider, modelId);
  if (model?.images === undefined) return rule;
  return model.images ? (rule ?? usualImageRule) : null;
}

/** Only a wire that has the question asks it. */
function diagnosisOf(wire: Wire, row: CacheFacts | null): Pick<Endpoint, 'diagnosis'> {
  const kind = row?.diagnosis ?? null;
  const fits = (wire === 'anthropic' && kind === 'anthropic') || (wire === 'responses' && kind === 'openai');
  return fits && kind !== null ? { diagnosis: kind } : {};
}

function definedOf<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** The user's own figure, as of the day on which the file was last changed. */
function priceOf(config: Config, model: ModelConfig | undefined): Price | null {
  if (model?.price === undefined) return null;
  const { above, ...usd } = model.price;
  const price = { ...priceFromUsd(usd, config.file, config.changedOn), own: true as const };
  if (above === undefined) return price;
  return { ...price, above: { tokens: above.tokens, price: priceFromUsd(above, config.file, config.changedOn) } };
}

export type KeySource = 'environment' | 'config' | 'keychain' | 'file';

type Key =
  | { readonly kind: 'found'; readonly value: string; readonly from: KeySource; readonly variable?: string }
  | { readonly kind: 'signedIn'; readonly token: AccessToken }
  /** `variable` undefined: its user signs in. */
  | { readonly kind: 'missing'; readonly variable: string | undefined }
  /** Servers on one's own machine want none. */
  | { readonly kind: 'none' };

/** In this order: the client's environment, the configuration, the keychain or the file of `zerd login`, a sign-in. */
export function keyOf(config: Config, name: string, env: Env): Key {
  const provider = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  const builtIn = provider === undefined && Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
  const variable = provider === undefined ? builtIn?.keyName : provider.apiKeyEnv;
  const inEnv = variable === undefined ? undefined : env[variable]?.trim();
  if (inEnv && variable !== undefined) return { kind: 'found', value: inEnv, from: 'environment', variable };
  if (provider?.apiKey) return { kind: 'found', value: provider.apiKey, from: 'config' };
  const kept = config.stored?.key(name);
  if (kept !== undefined) return { kind: 'found', ...kept };
  const token = config.stored?.token(name);
  if (token !== undefined) return { kind: 'signedIn', token };
  return variable === undefined && builtIn === undefined ? { kind: 'none' } : { kind: 'missing', variable };
}

/** Everything that may need a key, built in or configured. */
export function providerNames(config: Config): readonly string[] {
  return [...new Set([...Object.keys(builtIns), ...Object.keys(config.providers)])];
}

function usualRef(config: Config, env: Env): string {
  if (config.broken !== undefined) throw new ZerdError('config_broken', config.broken);
  const usual = usualModel(config, env);
  if (usual === undefined) throw noModel(config);
  return usual;
}

/** What answers where none is named: the one that is chosen, else that of the first provider that has its key. */
export function usualModel(config: Config, env: Env): string | undefined {
  if (config.model !== undefined || config.broken !== undefined) return config.model;
  const own = Object.entries(builtIns).filter(([name]) => !Object.hasOwn(config.providers, name));
  const ready = own.find(([name]) => ['found', 'signedIn'].includes(keyOf(config, name, env).kind));
  return ready && `${ready[0]}/${ready[1].usualModel}`;
}

function knownRefs(config: Config): readonly string[] {
  if (config.broken !== undefined) return [];
  const custom = Object.entries(config.providers).flatMap(([name, { models = [] }]) =>
    models.map(({ id }) => `${name}/${id}`),
  );
  const builtIn = catalogRows().filter(
    ({ provider }) => Object.hasOwn(builtIns, provider) && !Object.hasOwn(config.providers, provider),
  );
  const plans = Object.entries(builtIns).flatMap(([name, { planFor, usualModel }]) =>
    planFor !== undefined && config.stored?.token(name) !== undefined ? [`${name}/${usualModel}`] : [],
  );
  const own = builtIn.map((row) => `${row.provider}/${row.id}`);
  return [...new Set([...custom, ...chosenRef(config), ...plans, ...own])];
}

/** A provider without a list takes any name: the one that the user chose is known all the same. */
function chosenRef({ model = '', providers }: Config): readonly string[] {
  const [, name = ''] = /^([^/]+)\/./s.exec(model) ?? [];
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  return provider !== undefined && (provider.models ?? []).length === 0 ? [model] : [];
}

/** Enough to see how they are named. */
function someRefs(config: Config): string {
  const refs = knownRefs(config);
  const more = refs.length - mostShown;
  return `${refs.slice(0, mostShown).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

const mostShown = 10;

function unknownModel(config: Config, ref: string): ZerdError {
  const known = someRefs(config);
  return new ZerdError(
    'unknown_model',
    `No provider offers "${ref}"; nothing was changed. Name a model as provider/model. Known: ${known}. Others can be added in ${config.file}.`,
  );
}

function placeOf({ from, variable }: Extract<Key, { kind: 'found' }>, { file }: Config): string {
  if (variable !== undefined) return variable;
  return from === 'config' ? file : `what \`zerd login\` kept`;
}

function keyMissing(config: Config, ref: string, variable: string | undefined): ZerdError {
  const provider = ref.slice(0, ref.indexOf('/'));
  const todo =
    variable === undefined
      ? `${ref} is for ChatGPT subscribers and nobody is signed in. Sign in with \`zerd login ${provider}\` and run again`
      : `${ref} needs a key and ${variable} is not set. Set it where you start zerd, or keep the key with \`zerd login ${provider}\`, and run again`;
  return new ZerdError('key_missing', `${keptBroken(config)}${todo}; nothing was sent.`);
}

/** A key may be missing because what holds it is broken. */
function keptBroken({ stored }: Config): string {
  const why = stored?.broken();
  return why === undefined ? '' : `${why} `;
}

function noModel(config: Config): ZerdError {
  const custom = Object.keys(config.providers);
  const names = Object.values(builtIns).flatMap(({ keyName }) => keyName ?? []);
  const first =
    custom.length > 0
      ? `pass --model provider/model or set "model" in ${config.file}`
      : `set ${names.join(' or ')}, or run \`zerd login\``;
  const known = custom.length > 0 ? ` Known: ${someRefs(config)}.` : '';
  const code = custom.length > 0 ? 'unknown_model' : 'key_missing';
  const other = custom.length > 0 ? '' : `, or describe your own provider in ${config.file}`;
  return new ZerdError(
    code,
    `${keptBroken(config)}No model is chosen and none can be assumed: ${first}${other}.${known}`,
  );
}
