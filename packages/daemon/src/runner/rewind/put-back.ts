/**
 * Gives one file back what it held before. Invariant: what is there now is durable in the archive before it goes, and only
 * that goes: a file that changes at this very moment stays.
 */
import { readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Return, returnOf, type WayBack } from '@zerd/core/session/rewind';
import type { Archive } from '../../base/ports.ts';
import { describeFsFailure } from '../../files/fs-failure.ts';
import { inTurn } from '../../files/in-turn.ts';
import { hashOf, loadFile } from '../../files/load-file.ts';
import { obstacle } from '../../files/obstacle.ts';
import { resolveToChange } from '../../files/resolve-to-change.ts';
import { syncFolder } from '../../files/temporary.ts';
import { writeFile } from '../../files/write-file.ts';

export interface PutBackWish {
  readonly root: string;
  readonly archive: Archive;
  readonly signal: AbortSignal;
  /** Also over what something else changed. */
  readonly force: boolean;
  /** Nothing is changed: only what would become of it is told. */
  readonly preview: boolean;
}

export interface PutBack {
  readonly path: string;
  readonly outcome: Return | 'failed';
  /** What is in the way. */
  readonly message?: string;
  /** Under what the archive has what it held at that point, and what was there until now. */
  readonly back?: string;
  readonly was?: string;
}

export async function putBack(way: WayBack, wish: PutBackWish): Promise<PutBack> {
  const stored = typeof way.back === 'string' ? await wish.archive.locate(way.back) : undefined;
  const found = await inPlace(way, stored?.file, wish).catch((error: unknown) => {
    const message = describeFsFailure(error, way.path);
    if (message === undefined) throw error;
    return failed(way, message);
  });
  return stored === undefined ? found : { ...found, back: stored.id };
}

async function inPlace(way: WayBack, stored: string | undefined, wish: PutBackWish): Promise<PutBack> {
  const { path } = way;
  const target = await resolveToChange(wish.root, path);
  if (target.ok ? target.path !== path : target.code === 'outside')
    return failed(way, `${path} leads elsewhere by a link now.`);
  return target.ok ? inTurn(target.real, () => change(way, target.real, stored, wish)) : failed(way, target.message);
}

async function change(way: WayBack, real: string, stored: string | undefined, wish: PutBackWish): Promise<PutBack> {
  const { path, back } = way;
  const file = await loadFile(real, path, wish.signal);
  if (!file.ok && file.kind !== 'missing') return failed(way, file.message);
  const current = file.ok ? file.hash : null;
  const outcome = returnOf(way, current, wish.force);
  if (outcome === 'put back' && stored === undefined) return { path, outcome: 'unknown' };
  if (outcome !== 'put back' && outcome !== 'removed') return { path, outcome };
  const bytes = stored === undefined ? undefined : await readFile(stored);
  if (bytes && hashOf(bytes) !== back) return failed(way, 'Its copy in the archive is damaged and was not used.');
  if (wish.preview) {
    const inTheWay = await obstacle(real, path, current === null || outcome === 'removed' ? 'name' : 'overwrite');
    return inTheWay === undefined ? { path, outcome } : failed(way, inTheWay);
  }
  const was = file.ok ? { was: await wish.archive.put(file.bytes) } : {};
  const trouble =
    bytes === undefined
      ? await remove(real, way, current, wish.signal)
      : await overwrite(real, way, { expected: current, bytes }, wish);
  return trouble === undefined ? { path, outcome, ...was } : failed(way, trouble);
}

interface Content {
  readonly expected: string | null;
  readonly bytes: Buffer;
}

/** What is in the way, if anything is. */
async function overwrite(real: string, { path }: WayBack, { expected, bytes }: Content, wish: PutBackWish) {
  const { archive, signal } = wish;
  const written = await writeFile({ real, path, bytes, expected: expected ?? undefined, archive, signal });
  return written.ok ? undefined : written.message;
}

async function remove(real: string, { path }: WayBack, expected: string | null, signal: AbortSignal) {
  const now = await loadFile(real, path, signal);
  if (!now.ok || now.hash !== expected) return `${path} was changed by something else at this very moment. It stays.`;
  await unlink(real);
  await syncFolder(dirname(real));
  return undefined;
}

function failed({ path }: WayBack, message: string): PutBack {
  return { path, outcome: 'failed', message };
}
