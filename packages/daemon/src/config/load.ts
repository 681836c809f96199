/**
 * Does: reads the user's settings from `config.json` in the user's own configuration folder, and from nowhere else: no
 * byte of a repository and no variable but those that name the folder has a say (S-20, S-23, S-24). Invariants: never
 * throws, never writes, and what it cannot read it says with file, place and what to do; the result is frozen.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Caps, defaultCaps } from '@zerd/core/context/admit/caps';
import type { ReliefRule } from '@zerd/core/context/relieve/plan-relief';
import { defaultWindow } from '@zerd/core/context/relieve/view';
import { readEntries } from '@zerd/core/mcp/entries';
import { type McpSettings, usualMcpDeadlines } from '@zerd/core/mcp/settings';
import { type SubagentLimits, usualLimits } from '@zerd/core/subagents/may-start';
import { configFolder, type Env } from '@zerd/protocol/node/paths';
import { type Deadlines, defaultDeadlines } from '@zerd/providers/provider';
import type { z } from 'zod';
import type { StoredKeys } from '../base/credential-ports.ts';
import { type Budgets, budgetsOf } from './budgets.ts';
import { jsonFaultPlace } from './json-place.ts';
import { openKeys } from './open-keys.ts';
import { looseSchema, type ProviderConfig, strictSchema } from './schema.ts';
import { twiceNamed } from './twice-named.ts';

export interface JobSettings {
  /** How long a command may run before it goes on in the background. */
  readonly afterMs: number;
  /** The end of a job begins a turn when the session has none. */
  readonly wake: boolean;
}

const usualJobs: JobSettings = { afterMs: 15_000, wake: false };

export interface Config {
  /** The file, whether or not it exists. */
  readonly file: string;
  /** The day of its last change, YYYY-MM-DD. */
  readonly changedOn: string;
  /** Holds keys: never log it. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** The model of new sessions, as name/id. */
  readonly model?: string;
  readonly deadlines: Deadlines;
  /** How much of a result the model sees. */
  readonly caps: Caps;
  readonly rules: { readonly rootBytes?: number; readonly folderBytes?: number; readonly files?: readonly string[] };
  /** Globs on the names of those that are left out, and tokens that their list may take. */
  readonly skills: { readonly limit?: number; readonly exclude?: readonly string[] };
  /** Requests whose results stay whole. */
  readonly window: number;
  /** When older results are cleared. */
  readonly relief: ReliefRule;
  /** A waiting session's prompt is kept in the provider's cache where that pays. */
  readonly keepWarm: boolean;
  /** The model that sums up conversations; absent: the session's own. */
  readonly summarizer?: string;
  /** Milliseconds that a summary may take in all. */
  readonly compactionMs: number;
  /** Milliseconds that a tool may run without progress. */
  readonly toolMs: number;
  /** Commands that run unasked, as rules. */
  readonly commands: readonly string[];
  readonly jobs: JobSettings;
  /** Whether the repository's files are indexed. */
  readonly searchIndex: 'on' | 'off' | 'auto';
  /** A message that is expected to cost more is announced, in pico-dollars. */
  readonly warnAbovePico: number;
  /** What may be spent. */
  readonly budgets: Budgets;
  /** MCP servers of the user. Holds keys: never log it. */
  readonly mcp: McpSettings;
  readonly subagents: SubagentLimits;
  /** Milliseconds of a sub-agent: in all, and while its model says nothing. */
  readonly subagentLimits: { readonly totalMs: number; readonly silenceMs: number };
  readonly warnings: readonly string[];
  /** YYYY-MM-DD: which of the catalogue's prices hold; absent: its newest. */
  readonly today?: string;
  /** What is kept of keys and sign-ins beside the file; absent: nothing. */
  readonly stored?: StoredKeys;
  /** Variables that the file names as holding keys; found also when the file is broken, so that tools never see them. */
  readonly keyNames: readonly string[];
  /** Why the file counts for nothing. The daemon starts all the same; a session cannot be created. */
  readonly broken?: string;
}

/** Cheap and without memory: call it whenever the settings are needed. `env` is the daemon's own, not a client's. */
export function loadConfig({ env }: { readonly env: Env }): Config {
  const file = join(configFolder(env), 'config.json');
  const found = readText(file);
  if (found.kind === 'absent') return frozen({ ...nothing, file });
  if (found.kind === 'unreadable') return frozen({ ...nothing, file, broken: brokenAt(file, found.what) });
  const { text, changedOn } = found;
  const base = { ...nothing, file, changedOn, keyNames: keyNamesIn(text) };
  const place = jsonFaultPlace(text);
  if (place !== undefined) return frozen({ ...base, broken: brokenAt(file, `is not JSON at ${place}`) });
  const value: unknown = JSON.parse(text);
  const parsed = looseSchema.safeParse(value);
  if (!parsed.success) return frozen({ ...base, broken: brokenAt(file, wrongTypes(parsed.error)) });
  const {
    providers = {},
    model,
    deadlines: given = {},
    context = {},
    rules = {},
    skills = {},
    subagents = {},
    mcp = {},
  } = parsed.data;
  const outside = readEntries(mcp.servers ?? {}, 'mcp.servers');
  const {
    compactionMs = usualCompactionMs,
    toolMs = usualToolMs,
    subagentMs = usualSubagentMs,
    subagentSilenceMs,
    ...waits
  } = given;
  const deadlines = { ...defaultDeadlines, ...withoutAbsent(waits) };
  return frozen({
    ...base,
    providers,
    ...(model === undefined ? {} : { model }),
    deadlines,
    compactionMs,
    toolMs,
    commands: parsed.data.permissions?.commands ?? [],
    jobs: { afterMs: parsed.data.jobs?.afterMs ?? usualJobs.afterMs, wake: parsed.data.jobs?.wake ?? usualJobs.wake },
    searchIndex: parsed.data.search?.index ?? 'auto',
    warnAbovePico: Math.round((parsed.data.cost?.warnAbove ?? usualWarnAbove) * 1e12),
    budgets: budgetsOf(parsed.data.budgets ?? {}),
    mcp: {
      servers: outside.entries,
      ...(mcp.limit === undefined ? {} : { limit: mcp.limit }),
      deadlines: { ...usualMcpDeadlines, ...withoutAbsent(mcp.deadlines ?? {}) },
    },
    subagents: { ...usualLimits, ...withoutAbsent(subagents) },
    subagentLimits: { totalMs: subagentMs, silenceMs: subagentSilenceMs ?? usualSilenceMs(deadlines) },
    ...(context.summarizer === undefined ? {} : { summarizer: context.summarizer }),
    caps: { ...defaultCaps, ...withoutAbsent(context.caps ?? {}) },
    rules: {
      ...withoutAbsent({ rootBytes: rules.rootBytes, folderBytes: rules.folderBytes }),
      files: rules.files ?? [],
    },
    skills: { exclude: skills.exclude ?? [], ...(skills.limit === undefined ? {} : { limit: skills.limit }) },
    window: context.window ?? defaultWindow,
    relief: context.relief ?? 'due',
    keepWarm: context.keepWarm ?? false,
    warnings: [
      ...twiceNamed(text).map((place) => `${file}: ${place} stands there twice, and only the last of them counts.`),
      ...unknownFields(file, value),
      ...outside.faults.map((fault) => `${file}: ${fault}.`),
      ...openKeys(file, found.mode, Object.values(providers), outside.entries),
    ],
  });
}

const usualCompactionMs = 180_000;
const usualToolMs = 15 * 60_000;
/** USD. */
const usualWarnAbove = 0.5;
const usualSubagentMs = 30 * 60_000;

/** Two attempts that bring nothing: whoever waits longer for a slow server waits longer here too. */
function usualSilenceMs({ firstEventMs, betweenEventsMs }: Deadlines): number {
  return 2 * Math.max(firstEventMs, betweenEventsMs);
}

const nothing: Omit<Config, 'file'> = {
  changedOn: '1970-01-01',
  providers: {},
  deadlines: defaultDeadlines,
  caps: defaultCaps,
  rules: {},
  skills: {},
  window: defaultWindow,
  relief: 'due',
  keepWarm: false,
  compactionMs: usualCompactionMs,
  toolMs: usualToolMs,
  commands: [],
  jobs: usualJobs,
  searchIndex: 'auto',
  warnAbovePico: usualWarnAbove * 1e12,
  budgets: {},
  mcp: { servers: [], deadlines: usualMcpDeadlines },
  subagents: usualLimits,
  subagentLimits: { totalMs: usualSubagentMs, silenceMs: usualSilenceMs(defaultDeadlines) },
  warnings: [],
  keyNames: [],
};

type Found =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly what: string }
  | { readonly kind: 'text'; readonly text: string; readonly changedOn: string; readonly mode: number };

function readText(file: string): Found {
  try {
    const stat = statSync(file);
    // A pipe under this name would keep the daemon waiting for ever.
    if (!stat.isFile()) return { kind: 'unreadable', what: 'is not a regular file' };
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    return { kind: 'text', text, changedOn: stat.mtime.toISOString().slice(0, 10), mode: stat.mode };
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (code === 'ENOTDIR')
      return { kind: 'unreadable', what: 'cannot be there: a file stands in the place of its folder' };
    if (code !== 'ENOENT') return { kind: 'unreadable', what: `cannot be read (${code})` };
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? { kind: 'unreadable', what: 'is a link that leads nowhere' } : { kind: 'absent' };
  }
}

function keyNamesIn(text: string): readonly string[] {
  return [...text.matchAll(/"apiKeyEnv"\s*:\s*"([^"\\]+)"/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function brokenAt(file: string, what: string): string {
  return `The configuration ${file} ${what}. It was left as it is and nothing of it is in force: mend it and try again.`;
}

/** Paths and expectations only: the values may be keys. */
function wrongTypes(error: z.ZodError): string {
  const faults = error.issues.slice(0, 3).map((issue) => `${pathOf(issue.path) || 'the whole'}: ${issue.message}`);
  const more = error.issues.length > faults.length ? `; and ${error.issues.length - faults.length} more` : '';
  return `does not fit: ${faults.join('; ')}${more}`;
}

function unknownFields(file: string, value: unknown): readonly string[] {
  const issues = strictSchema.safeParse(value).error?.issues ?? [];
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${file}: the field ${pathOf([...issue.path, key])} is not known and has no effect.`)
      : [],
  );
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function withoutAbsent<K extends string>(numbers: { readonly [N in K]?: number | undefined }): { [N in K]?: number } {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as {
    [N in K]?: number;
  };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const field of Object.values(value)) frozen(field);
    Object.freeze(value);
  }
  return value;
}
