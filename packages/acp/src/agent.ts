/**
 * zerd as an agent of the Agent Client Protocol (v1): what an editor may ask, and what the daemon is asked for it.
 * Invariant: sessions belong to the daemon; closing one here, or the editor's end, ends nothing that runs.
 */
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ContentBlock,
  type McpServer,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { errorTable, isZerdError } from '@zerd/protocol/common/errors';
import { type SessionId, sessionIdSchema } from '@zerd/protocol/common/ids';
import { commandIn, skillCall } from '@zerd/protocol/common/skill-call';
import { zerdVersion } from '@zerd/protocol/common/version';
import { type EditorSession, openEditorSession } from './editor-session.ts';
import { type Lending, lending } from './lent-servers.ts';
import { commands, configOptions, isMode, modelOption, modeState, skillCommands } from './options.ts';
import { promptImages, promptText, type Unsaved } from './prompt-text.ts';
import type { Reached } from './reach.ts';

export interface AgentParts {
  readonly reach: (folder: string) => Reached;
  /** Where the editor started it. */
  readonly cwd: string;
}

interface Open {
  readonly session: EditorSession;
  readonly model: string;
}

export interface Agent {
  readonly app: AgentApp;
  /** The editor has gone: what it began and nobody used goes too. */
  leave(): Promise<void>;
}

export function createAgent({ reach, cwd }: AgentParts): Agent {
  const open = new Map<string, Open>();
  /** Made for the editor here: it asks for a session before anybody says anything. */
  const made = new Set<string>();
  let readsFiles = false;
  let terminals = false;

  async function begin(editor: AgentContext, reached: Lending, sessionId: SessionId, after: number | undefined) {
    const client = await reached.connect();
    try {
      const { session } = await client.request('session/read', { sessionId, limit: 1 });
      const { models } = await client.request('config/read', {});
      const window = models.find(({ id }) => id === session.model)?.contextWindow ?? undefined;
      const from = after ?? session.lastSeq;
      open.get(sessionId)?.session.close();
      const opened = await openEditorSession({
        editor,
        reached,
        sessionId,
        after: from,
        window,
        terminals,
        optionsWith: (model) => configOptions(model, models),
      });
      open.set(sessionId, { session: opened, model: session.model });
      await editor.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'available_commands_update', availableCommands: await commandsOf(client) },
      });
      for (const fault of reached.faults()) opened.tell(`${fault}\n`);
      return { modes: modeState(session.mode), configOptions: configOptions(session.model, models) };
    } finally {
      client.close();
    }
  }

  function known(sessionId: string): Open {
    const found = open.get(sessionId);
    if (found === undefined) throw RequestError.resourceNotFound(sessionId);
    return found;
  }

  /** A file that the editor has changed and not saved differs from what the daemon would read. */
  async function unsavedOf(editor: AgentContext, sessionId: string, blocks: readonly ContentBlock[]): Promise<Unsaved> {
    const unsaved = new Map<string, string>();
    if (!readsFiles) return unsaved;
    for (const block of blocks) {
      if (block.type !== 'resource_link' || !block.uri.startsWith('file://')) continue;
      const text = await differingText(editor, sessionId, block.uri);
      if (text !== undefined) unsaved.set(block.uri, text);
    }
    return unsaved;
  }

  /** One that was made here and never used goes, unless another client follows it. What cannot go now harms nobody. */
  async function shut(sessionId: string): Promise<void> {
    const session = open.get(sessionId)?.session;
    open.delete(sessionId);
    const wish = { sessionId: asSessionId(sessionId), onlyUnused: true };
    if (made.delete(sessionId)) await session?.feed.request('session/delete', wish).catch(() => {});
    session?.close();
  }

  const lendingOf = ({
    cwd: folder,
    mcpServers,
  }: {
    readonly cwd: string;
    readonly mcpServers?: readonly McpServer[];
  }) => lending(reach(folder), mcpServers ?? []);

  const app = agent({ name: 'zerd' })
    .onRequest('initialize', ({ params }) => {
      // Not in the protocol, but what Zed began and other editors and agents took up.
      terminals = params.clientCapabilities?._meta?.terminal_output === true;
      readsFiles = params.clientCapabilities?.fs?.readTextFile === true;
      return {
        protocolVersion: Math.min(params.protocolVersion, PROTOCOL_VERSION),
        agentInfo: { name: 'zerd', title: 'zerd', version: zerdVersion },
        agentCapabilities: {
          loadSession: true,
          mcpCapabilities: { http: true, sse: false },
          promptCapabilities: { embeddedContext: true, image: true, audio: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      };
    })
    .onRequest('session/new', ({ params, client }) =>
      asRequestError(async () => {
        const reached = lendingOf(params);
        const daemon = await reached.connect();
        const { sessionId } = await daemon.request('session/create', {}).finally(() => daemon.close());
        made.add(sessionId);
        const state = await begin(client, reached, sessionId, 0);
        return { sessionId, ...state };
      }),
    )
    .onRequest('session/load', ({ params, client }) =>
      asRequestError(() => begin(client, lendingOf(params), asSessionId(params.sessionId), 0)),
    )
    .onRequest('session/resume', ({ params, client }) =>
      asRequestError(() => begin(client, lendingOf(params), asSessionId(params.sessionId), undefined)),
    )
    .onRequest('session/close', async ({ params }) => {
      known(params.sessionId);
      await shut(params.sessionId);
      return {};
    })
    .onRequest('session/delete', ({ params }) =>
      asRequestError(async () => {
        const sessionId = asSessionId(params.sessionId);
        const daemon = await reach(open.get(sessionId)?.session.root ?? cwd).connect();
        await daemon.request('session/delete', { sessionId }).finally(() => daemon.close());
        open.get(sessionId)?.session.close();
        open.delete(sessionId);
        return {};
      }),
    )
    .onRequest('session/list', ({ params }) =>
      asRequestError(async () => {
        const reached = reach(params.cwd ?? cwd);
        const daemon = await reached.connect();
        const { sessions } = await daemon.request('session/list', {}).finally(() => daemon.close());
        const main = sessions.filter(({ parentId }) => parentId === undefined);
        return {
          sessions: main.map(({ sessionId, title, updatedAt }) => ({
            sessionId,
            cwd: reached.root,
            title: title === '' ? null : title,
            updatedAt: new Date(updatedAt).toISOString(),
          })),
        };
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      asRequestError(async () => {
        if (!isMode(params.modeId)) throw RequestError.invalidParams({ modeId: params.modeId });
        await known(params.sessionId).session.setMode(params.modeId);
        return {};
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      asRequestError(async () => {
        const { session } = known(params.sessionId);
        if (params.configId !== modelOption || typeof params.value !== 'string')
          throw RequestError.invalidParams({ configId: params.configId });
        const sessionId = asSessionId(params.sessionId);
        const { model } = await session.feed.request('model/select', { sessionId, model: params.value });
        open.set(sessionId, { session, model });
        const { models } = await session.feed.request('config/read', {});
        return { configOptions: configOptions(model, models) };
      }),
    )
    .onRequest('session/prompt', ({ params, client }) =>
      asRequestError(async () => {
        const { session } = known(params.sessionId);
        const unsaved = await unsavedOf(client, params.sessionId, params.prompt);
        const text = promptText(params.prompt, session.root, unsaved);
        const command = commandOf(text, session, asSessionId(params.sessionId));
        return command ?? session.prompt(await withSkill(text, session), promptImages(params.prompt, session.root));
      }),
    )
    .onNotification('session/cancel', async ({ params }) => {
      // A cancel that comes when nothing runs is no failure.
      await open
        .get(params.sessionId)
        ?.session.cancel()
        .catch(() => {});
    });
  return { app, leave: async () => void (await Promise.all([...open.keys()].map(shut))) };
}

/** A daemon of an older release knows no list of skills. */
async function skillsOf(feed: Pick<EditorSession['feed'], 'request'>) {
  return (await feed.request('skill/list', {}).catch(() => ({ skills: [] }))).skills;
}

async function commandsOf(feed: Pick<EditorSession['feed'], 'request'>) {
  return [...commands, ...skillCommands(await skillsOf(feed))];
}

/** What is said with a skill's name in front, as the model is told it. */
async function withSkill(text: string, { feed }: EditorSession): Promise<string> {
  const typed = commandIn(text);
  return typed === undefined ? text : (skillCall(typed, await skillsOf(feed)) ?? text);
}

/** What an editor's `/command` does; undefined: it is a prompt. */
function commandOf(text: string, session: EditorSession, sessionId: SessionId) {
  const [, name] = /^\/(\w+)\s*$/.exec(text) ?? [];
  if (name === 'compact') return session.compact();
  if (name === 'cost') return sayCost(session, sessionId);
  return undefined;
}

async function sayCost(session: EditorSession, sessionId: SessionId) {
  const { totals } = await session.feed.request('cost/read', { sessionId });
  const money = totals.unpricedRequests > 0 ? ` (${totals.unpricedRequests} requests have no price)` : '';
  session.tell(
    `${totals.requests} requests, $${(totals.costPico / 1e12).toFixed(4)}${money}: ${totals.cacheRead} tokens read from the cache, ${totals.cacheWrite} written, ${totals.uncached} uncached, ${totals.output} of output.`,
  );
  return { stopReason: 'end_turn' as const };
}

async function differingText(editor: AgentContext, sessionId: string, uri: string): Promise<string | undefined> {
  try {
    const { readFile } = await import('node:fs/promises');
    const path = decodeURIComponent(new URL(uri).pathname);
    const [{ content }, saved] = await Promise.all([
      editor.request('fs/read_text_file', { sessionId, path }),
      readFile(path, 'utf8').catch(() => undefined),
    ]);
    return content === saved ? undefined : content;
  } catch {
    // The editor does not have it: the daemon reads what is on disk.
    return undefined;
  }
}

function asSessionId(text: string): SessionId {
  const parsed = sessionIdSchema.safeParse(text);
  if (!parsed.success) throw RequestError.resourceNotFound(text);
  return parsed.data;
}

/** What the daemon expects to go wrong keeps its words and says what to do. */
async function asRequestError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isZerdError(error)) throw error;
    const code = error.code === 'unknown_session' ? -32_002 : -32_603;
    throw new RequestError(code, `${error.message} ${errorTable[error.code].todo}`, { code: error.code });
  }
}
