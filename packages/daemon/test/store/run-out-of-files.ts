/** A program for a test: uses the store while no further file can be opened, and prints what came of it. */
import { closeSync, openSync } from 'node:fs';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { openStore } from '../../src/store/open.ts';

const said = (text: string) => ({ kind: 'message.submitted', turnId: 'turn_1', text }) as SessionEvent;
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );

async function runOut(folder: string): Promise<void> {
  const store = await openStore({ folder, clock: systemClock });
  const append = (text: string) => outcome(store.append('ses_one' as SessionId, [said(text)]));
  const found: Record<string, unknown> = { before: await append('before') };
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch (error) {
    found.code = (error as { code?: string }).code;
  }
  found.append = await append('without files');
  found.archive = await outcome(store.archive.put('a body'));
  for (const file of files) closeSync(file);
  found.archiveAgain = await outcome(store.archive.put('a body'));
  found.after = await append('after');
  found.events = store.read('ses_one' as SessionId).length;
  await store.close();
  process.stdout.write(JSON.stringify(found));
}

void runOut(process.argv[2] ?? '');
