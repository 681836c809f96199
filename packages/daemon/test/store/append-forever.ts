/** A program for a test to kill: appends to the store in argv[2] and prints each sequence number once it is acknowledged. */
import { writeSync } from 'node:fs';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { openStore } from '../../src/store/open.ts';

async function appendForever(folder: string): Promise<never> {
  const store = await openStore({ folder, clock: systemClock });
  for (;;) {
    const event = { kind: 'message.submitted', turnId: 'turn_1', text: 'x'.repeat(3_000) } as SessionEvent;
    const appends = [
      store.append('ses_one' as SessionId, [event]),
      store.append('ses_one' as SessionId, [event, event]),
    ];
    for (const events of await Promise.all(appends)) writeSync(1, `${events.at(-1)?.seq}\n`);
  }
}

void appendForever(process.argv[2] ?? '');
