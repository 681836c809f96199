/** A repository, a state folder and the room of outside tools, with the real server of `test/support/mcp-server.mjs`. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEntries } from '@zerd/core/mcp/entries';
import { type McpDeadlines, usualMcpDeadlines } from '@zerd/core/mcp/settings';
import type { JsonObject } from '@zerd/protocol/common/json';
import { type Clock, systemClock } from '@zerd/protocol/node/clock';
import type { ManualClock } from '../../../../test/support/manual-clock.ts';
import type { Log } from '../../src/base/log.ts';
import type { McpAnswer, McpCall, McpDesk } from '../../src/base/mcp-ports.ts';
import { createMcp } from '../../src/mcp/create-mcp.ts';
import { commandEnv } from '../../src/processes/command-env.ts';

export const serverFile = join(import.meta.dirname, '../../../../test/support/mcp-server.mjs');

export interface SceneWish {
  /** The user's own, as the configuration has them. */
  readonly user?: Readonly<Record<string, unknown>>;
  readonly trusted?: boolean;
  /** Absent: the system's clock. */
  readonly manual?: ManualClock;
  readonly deadlines?: Partial<McpDeadlines>;
}

export interface Scene extends AsyncDisposable {
  readonly root: string;
  readonly state: string;
  readonly notesFile: string;
  readonly mcp: McpDesk;
  /** All that was logged. */
  readonly lines: string[];
  trusted: boolean;
  user: Readonly<Record<string, unknown>>;
  /** Another daemon's room of the same repository. */
  again(): McpDesk;
  /** What the server noted. */
  notes(): readonly JsonObject[];
  call(tool: string, given?: JsonObject, more?: Partial<McpCall>): Promise<McpAnswer>;
  /** Writes a file of the workspace. */
  write(path: string, text: string, mode?: number): void;
  mcpFile(servers: Readonly<Record<string, unknown>>): void;
}

export const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nowhere',
  OPENAI_API_KEY: 'sk-of-the-user-1',
  TOKEN: 'a-secret-token',
};

export function mcpScene(wish: SceneWish = {}): Scene {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-mcp-')));
  const [root, state] = [join(top, 'repository'), join(top, 'state')];
  for (const folder of [root, state]) mkdirSync(folder, { mode: 0o700 });
  const notesFile = join(top, 'notes');
  const lines: string[] = [];
  const write = (...line: readonly unknown[]) => void lines.push(JSON.stringify(line));
  const log = { info: write, warn: write, error: write, debug: write } as unknown as Log;
  const clock: Clock = wish.manual ?? systemClock;
  const rooms: McpDesk[] = [];
  const scene: Scene = {
    root,
    state,
    notesFile,
    lines,
    trusted: wish.trusted ?? true,
    user: wish.user ?? {},
    mcp: undefined as unknown as McpDesk,
    again() {
      const room = createMcp({
        root,
        stateFolder: state,
        clock,
        idleClock: clock,
        log,
        trusted: () => scene.trusted,
        settings: () => ({
          servers: readEntries(scene.user, 'mcp.servers').entries,
          deadlines: { ...usualMcpDeadlines, ...wish.deadlines },
        }),
        toolEnv: (given) => commandEnv(given),
        network: () => undefined,
      });
      rooms.push(room);
      return room;
    },
    notes() {
      try {
        return readFileSync(notesFile, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as JsonObject);
      } catch {
        return [];
      }
    },
    call: (tool, given = {}, more = {}) =>
      scene.mcp.call({ server: 'test', tool, arguments: given, env, signal: new AbortController().signal, ...more }),
    write(path, text, mode = 0o644) {
      writeFileSync(join(root, path), text);
      chmodSync(join(root, path), mode);
    },
    mcpFile: (servers) => scene.write('.mcp.json', JSON.stringify({ mcpServers: servers })),
    async [Symbol.asyncDispose]() {
      const closed = Promise.all(rooms.map((room) => room.close()));
      await (wish.manual === undefined ? closed : ticking(wish.manual, closed));
      rmSync(top, { recursive: true, force: true });
    },
  };
  return Object.assign(scene, { mcp: scene.again() });
}

/** The test server as an entry; `does` are its words. */
export function testServer(notesFile: string, ...does: readonly string[]) {
  return { command: process.execPath, args: [serverFile, ...does], env: { MCP_NOTES: notesFile } };
}

/** Settles when `true` is answered; what is waited for comes from another process. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Settles as `promise` does, while the clock is moved on for whatever of it waits for time. */
export async function ticking<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  promise.then(done, done);
  while (!settled) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (!settled) clock.advance(20);
  }
  return promise;
}

export function said({ outcome, content }: McpAnswer): readonly string[] {
  return [outcome, ...content.map((part) => (part.kind === 'text' ? part.text : part.kind))];
}
