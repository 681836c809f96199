/** Temporary folders and short events for the tests of the store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';

const folders: string[] = [];

/** A fresh folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-store-'));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export const one = 'ses_one' as SessionId;
export const two = 'ses_two' as SessionId;

export function said(text: string): SessionEvent {
  return { kind: 'message.submitted', turnId: 'turn_1' as TurnId, text };
}

export function texts(events: readonly LoggedEvent[]): readonly unknown[] {
  return events.map(({ seq, event }) => [seq, event.kind === 'message.submitted' ? event.text : event.kind]);
}
