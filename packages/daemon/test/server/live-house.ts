/** A scene behind a server: real clients in memory, of one daemon with its store, runner and gateway. */
import type { ZerdClient } from '@zerd/protocol/node/client';
import { createServer, type Server } from '../../src/server/server.ts';
import { openScene, type Scene, type SceneWish } from '../runner/harness.ts';
import { fakeHouse, greet, pipes } from './fake-house.ts';

export interface LiveHouse extends Scene {
  readonly server: Server;
  /** `hangUp` takes the connection away, as the death of a client does. */
  connect(env?: Record<string, string>): Promise<{ readonly zerd: ZerdClient; hangUp(): void }>;
}

export async function openLiveHouse(wish: SceneWish): Promise<LiveHouse> {
  const scene = await openScene(wish);
  const { store, runner, jobs } = scene;
  const server = createServer({ ...fakeHouse(), store, runner, jobs });
  return Object.assign(Object.create(scene) as Scene, {
    server,
    async connect(env = scene.env) {
      const { near, far } = pipes();
      void server.attach(far);
      const zerd = await greet(near, env);
      return {
        zerd,
        hangUp() {
          for (const stream of [near.readable, near.writable, far.readable, far.writable]) stream.destroy();
        },
      };
    },
    async close() {
      await server.close();
      await scene.close();
    },
  });
}
