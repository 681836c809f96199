/** A program for a test: opens the store in argv[2] and prints the code and the message of what came of it. */
import { systemClock } from '@zerd/protocol/node/clock';
import { openStore } from '../../src/store/open.ts';

void openStore({ folder: process.argv[2] ?? '', clock: systemClock }).then(
  (store) => process.stdout.write(JSON.stringify({ sessions: store.sessions().length })),
  ({ code, message }: { code: string; message: string }) => process.stdout.write(JSON.stringify({ code, message })),
);
