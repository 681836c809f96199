/**
 * The shape of the user's configuration file. Built twice from one text: the loose form ignores unknown fields, the strict
 * one finds them, so that they warn and never fail.
 */
import { readRule } from '@zerd/core/permissions/commands/rules';
import { z } from 'zod';

const dollars = z.number().nonnegative().max(1_000_000);
const tokens = z.int().positive();
const milliseconds = z.int().positive();
/** What the list of skills may take at most, whoever says so. */
export const mostSkillTokens = 100_000;
/** A cap leaves room for the line that names what is left out, and stays a cap. */
const capBytes = z.int().min(1_000).max(1_000_000);

/** The SDK would refuse an address with a password, and quote it. */
const baseUrl = z.string().refine(isPlainHttp, 'expected an http or https address without user or password');
const name = z.string().min(1);

type Objects = typeof z.object;

function configSchema(object: Objects) {
  const figures = { input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars };
  const hour = { cacheWrite1h: dollars.optional() };
  const price = object({
    ...figures,
    ...hour,
    /** What holds for every token of a request whose prompt exceeds `tokens`. */
    above: object({ tokens, ...figures, ...hour }).optional(),
  });
  const model = object({
    id: name,
    contextWindow: tokens.optional(),
    maxOutput: tokens.optional(),
    /** USD per million tokens. */
    price: price.optional(),
    /** How its provider caches: the smallest prefix that is kept, for how long unused, and whether it reports it at all. */
    minPrefix: tokens.optional(),
    cacheMs: milliseconds.optional(),
    reportsCache: z.boolean().optional(),
    /** An edit of earlier messages makes later reasoning void. */
    bindsReasoning: z.boolean().optional(),
    /** Whether it sees images; absent: as the catalogue says. */
    images: z.boolean().optional(),
    /** Whose way of explaining a miss it understands. */
    diagnosis: z.enum(['anthropic', 'openai']).optional(),
  });
  const provider = object({
    wire: z.enum(['anthropic', 'responses', 'chat']),
    /** What the official SDK takes: with /v1 for openai, without for anthropic. */
    baseUrl,
    apiKeyEnv: name.optional(),
    apiKey: name.optional(),
    /** Whether the endpoint takes `prompt_cache_key`. */
    promptCacheKey: z.boolean().optional(),
    /** For the chat wire: whether calls that arrive as text are read as calls. */
    leakedCalls: z.boolean().optional(),
    /** For the responses wire: ChatGPT's backend for coding clients, whose key is an access token. */
    codex: z.boolean().optional(),
    /** For the responses wire: OpenAI's API as a ChatGPT plan pays for it. */
    plan: z.boolean().optional(),
    /** Empty or absent: any model's name is passed on. */
    models: z.array(model).optional(),
  });
  const deadlines = object({
    connectMs: milliseconds.optional(),
    firstEventMs: milliseconds.optional(),
    betweenEventsMs: milliseconds.optional(),
    totalMs: milliseconds.optional(),
    /** All that a summary of the conversation takes. */
    compactionMs: milliseconds.optional(),
    /** How long a tool may run without progress before it is given up. */
    toolMs: milliseconds.optional(),
    /** All that a sub-agent takes. */
    subagentMs: milliseconds.optional(),
    /** How long its model may say nothing while it is waited for. */
    subagentSilenceMs: milliseconds.optional(),
  });
  /** USD, and tokens of prompts and answers. */
  const limit = object({ usd: dollars.optional(), tokens: tokens.optional() });
  const caps = object({
    line: z.int().min(100).max(100_000).optional(),
    shell: capBytes.optional(),
    failingShell: capBytes.optional(),
    search: capBytes.optional(),
    read: capBytes.optional(),
    other: capBytes.optional(),
  });
  return object({
    providers: z
      .record(z.string().regex(/^[^/\s]+$/, 'expected a name without spaces and slashes'), provider)
      .optional(),
    /** The model of new sessions, as name/id. */
    model: name.optional(),
    deadlines: deadlines.optional(),
    cost: object({
      /** USD: a message that is expected to cost more is announced before it is sent. */
      warnAbove: dollars.optional(),
    }).optional(),
    /** What may be spent: by a session with its sub-agents, by those together, in this repository on a day and in all. */
    budgets: object({
      session: limit.optional(),
      subagents: limit.optional(),
      day: limit.optional(),
      repository: limit.optional(),
    }).optional(),
    /** Files of rules (AGENTS.md and the like). */
    rules: object({
      /** Bytes that are shown of a file that a session begins with, and of one that comes with a folder. */
      rootBytes: capBytes.optional(),
      folderBytes: capBytes.optional(),
      /** More files that every session of a repository begins with, relative to its root. */
      files: z.array(name).optional(),
    }).optional(),
    /** SKILL.md files. */
    skills: object({
      /** Tokens that their list may take in the system text; 0: there are none. */
      limit: z.int().min(0).max(mostSkillTokens).optional(),
      /** Globs on names: those are left out. */
      exclude: z.array(name).optional(),
    }).optional(),
    /** What the user allows besides the mode, in every repository. */
    permissions: object({
      /** Commands that run unasked: as they stand, or with ` *` behind, whatever follows. */
      commands: z
        .array(z.string().refine(isRule, 'expected one plain command, as `npm test` or `npm run *`'))
        .optional(),
    }).optional(),
    /** Commands that go on in the background. */
    jobs: object({
      /** How long a command may run before it is one of them. */
      afterMs: z.int().min(100).max(3_600_000).optional(),
      /** Whether the end of one begins a turn when its session has none. */
      wake: z.boolean().optional(),
    }).optional(),
    /** Whether the repository's files are indexed: `on` also where the root is the home folder or `/`. */
    search: object({ index: z.enum(['on', 'off', 'auto']).optional() }).optional(),
    /** Outside tools: MCP servers by name. What an entry holds is read by `core/mcp/entries`, entry by entry. */
    mcp: object({
      /** Tokens of what a model is told of them at once; 0: how many there are. */
      limit: z.int().min(0).max(mostSkillTokens).optional(),
      servers: z.record(z.string(), z.unknown()).optional(),
      deadlines: object({
        connectMs: milliseconds.optional(),
        listMs: milliseconds.optional(),
        callMs: milliseconds.optional(),
        totalMs: milliseconds.optional(),
      }).optional(),
    }).optional(),
    /** `atOnce`: those that run at the same time for one session; `depth`: 1, a sub-agent has none of its own. */
    subagents: object({
      atOnce: z.int().min(1).max(64).optional(),
      depth: z.int().min(0).max(4).optional(),
    }).optional(),
    /** What the model sees of a session; `caps`: bytes of a result by tool, and of one line. */
    context: object({
      caps: caps.optional(),
      /** How many of the newest requests keep their results whole when older ones are cleared. */
      window: z.int().min(1).max(1_000).optional(),
      /** When older results are cleared: `due`, once that pays; `every` request; or `never` below the ceiling. */
      relief: z.enum(['due', 'every', 'never']).optional(),
      /** Whether a waiting session's prompt is kept in the provider's cache by requests of its own, where that pays. */
      keepWarm: z.boolean().optional(),
      /** The model that sums up conversations, as name/id; absent: the one that holds them. */
      summarizer: name.optional(),
    }).optional(),
  });
}

function isRule(text: string): boolean {
  return readRule(text) !== undefined;
}

export const looseSchema = configSchema(z.object);
export const strictSchema = configSchema(z.strictObject as unknown as Objects);

export type ConfigFile = z.infer<typeof looseSchema>;
export type ProviderConfig = NonNullable<ConfigFile['providers']>[string];
export type ModelConfig = NonNullable<ProviderConfig['models']>[number];

function isPlainHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
