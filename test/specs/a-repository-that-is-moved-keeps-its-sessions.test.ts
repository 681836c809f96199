/** A daemon belongs to a place: a repository that leaves it takes nothing along, and finds all of it when it is back. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inHouse } from '../support/house.ts';

test('O-09: moved while its daemon runs, it begins anew elsewhere, and goes on with its session when it is back', async () => {
  const steps = ['One.', 'Elsewhere.', 'Two.'].map((text) => ({ text }));
  await inHouse({ steps }, async (house) => {
    const run = (...args: string[]) => house.zerd(['run', '--trust', ...args]);
    expect(await run('first')).toMatchObject({ code: 0, stdout: 'One.\n' });
    const moved = join(house.home, 'moved');
    renameSync(house.repository, moved);
    expect((await house.zerd(['sessions', '--json'], { cwd: moved })).stdout).not.toContain('ses_');
    expect(await house.zerd(['run', '--trust', 'hello'], { cwd: moved })).toMatchObject({ stdout: 'Elsewhere.\n' });
    expect(await house.zerdd(['stop'], { cwd: moved })).toMatchObject({ code: 0 });
    mkdirSync(house.repository);
    expect(readdirSync(house.repository)).toEqual([]);
    renameSync(moved, house.repository);
    expect(await run('--continue', 'second')).toMatchObject({ code: 0, stdout: 'Two.\n' });
    expect(JSON.stringify(house.gateway.requests.at(-1)?.body)).toContain('One.');
  });
});
