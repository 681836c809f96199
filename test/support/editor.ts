/** An editor for tests: a client of the Agent Client Protocol that starts the built `zerd acp` and speaks over real pipes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { House } from './house.ts';

const zerd = join(import.meta.dirname, '../../packages/cli/bin/zerd.js');

export interface Editor {
  readonly agent: ClientConnection['agent'];
  readonly process: ChildProcess;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  close(): Promise<void>;
}

export interface EditorWish {
  /** Absent: it cannot be asked for permission. */
  readonly permit?: (
    request: RequestPermissionRequest,
  ) => Promise<RequestPermissionResponse> | RequestPermissionResponse;
  /** What it holds of files that are not saved. */
  readonly unsaved?: Readonly<Record<string, string>>;
  /** It shows terminals of the agent, as Zed does. */
  readonly terminals?: true;
}

export const allow = (): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId: 'allow' } });

export async function openEditor(house: House, { permit, unsaved, terminals }: EditorWish = {}): Promise<Editor> {
  const child = spawn(process.execPath, [zerd, 'acp'], {
    cwd: house.repository,
    env: house.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const app = client({ name: 'spec editor' }).onNotification('session/update', ({ params }) => {
    updates.push(params.update);
  });
  if (permit !== undefined)
    app.onRequest('session/request_permission', ({ params }) => {
      asked.push(params);
      return permit(params);
    });
  if (unsaved !== undefined)
    app.onRequest('fs/read_text_file', ({ params }) => ({ content: unsaved[params.path] ?? '' }));
  const connection = app.connect(
    ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    ),
  );
  const { agent } = connection;
  await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: unsaved !== undefined, writeTextFile: false },
      ...(terminals && { _meta: { terminal_output: true } }),
    },
  });
  return {
    agent,
    process: child,
    updates,
    asked,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await gone;
    },
  };
}

export const textOf = (updates: readonly SessionUpdate[], kind: 'agent_message_chunk' | 'user_message_chunk') =>
  updates
    .flatMap((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : []))
    .join('');
