/**
 * Writes the page of a session's cost: the page as it was built, with the session's figures in it as data. Invariant: no
 * text of a session can end the place where it stands; what stands there is read as JSON and drawn as text.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import { zerdVersion } from '@zerd/protocol/common/version';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { costPage } from '../present/cost-page.ts';
import type { CostPage } from '../present/cost-page-shape.ts';
import { writePages } from './write-pages.ts';

/** Beside the bundle of the client. */
const builtPage = './cost-page.html';
/** What the build leaves in it for the data. */
const dataPlace = '@@cost@@';

export interface CostPageWish {
  readonly sessionId: SessionId;
  readonly file: string;
  readonly writtenAt: number;
}

/** Settles with what to say of it. */
export async function writeCostPage(client: ZerdClient, { sessionId, file, writtenAt }: CostPageWish): Promise<string> {
  const empty = await readBuilt();
  const { session, ...cost } = await client.request('cost/read', { sessionId, requests: true });
  if (session === undefined) throw new ZerdError('internal_error', `The daemon said nothing of ${sessionId}.`);
  return await writePages([filled(empty, costPage(cost, session, { version: zerdVersion, writtenAt }))], file);
}

export function filled(empty: string, page: CostPage): string {
  const [before, after] = empty.split(dataPlace);
  if (after === undefined) throw new Error('The page of the cost has no place for its data.');
  return before + JSON.stringify(page).replaceAll('<', '\\u003c') + after;
}

async function readBuilt(): Promise<string> {
  const path = fileURLToPath(new URL(builtPage, import.meta.url));
  return await readFile(path, 'utf8').catch((error: unknown) => {
    const why = types.isNativeError(error) ? error.message : String(error);
    throw new ZerdError('internal_error', `The installation of zerd is not whole: ${why}. Install it anew.`);
  });
}
