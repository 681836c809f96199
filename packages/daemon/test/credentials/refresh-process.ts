/** A process of its own that asks for the token of `chatgpt` and prints it: `FOLDER TOKEN_URL`. Bundled by its test. */
import { systemClock } from '@zerd/protocol/node/clock';
import { codexWay } from '@zerd/providers/sign-in/ways';
import { silentLog } from '../../src/base/log.ts';
import { openCredentials } from '../../src/credentials/open-credentials.ts';

const [, , folder = '', tokenUrl = ''] = process.argv;
const credentials = openCredentials({
  folder,
  keychain: undefined,
  clock: systemClock,
  log: silentLog,
  openCallback: () => Promise.reject(new Error('nobody signs in here')),
  wayOf: () => ({ ...codexWay(), tokenUrl }),
});
const answer = await credentials.stored.token('chatgpt')?.();
process.stdout.write(JSON.stringify(answer));
