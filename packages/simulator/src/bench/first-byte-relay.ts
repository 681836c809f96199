/**
 * A door in front of the gateway that notes when the first byte of a request comes through it. It reads nothing and
 * passes everything on, so what is timed is the client alone and not how long the gateway weighs a request.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FirstByteRelay {
  readonly origin: string;
  /** From now on: settles with the time (performance.now) of the next byte that a client sends. */
  firstByte(): Promise<number>;
  close(): void;
}

export async function startFirstByteRelay(gatewayOrigin: string): Promise<FirstByteRelay> {
  const { port } = new URL(gatewayOrigin);
  const sockets = new Set<Socket>();
  let note = (_at: number): void => {};
  const server = createServer((client) => {
    const gateway = connect({ port: Number(port), host: '127.0.0.1' });
    for (const socket of [client, gateway]) keep(socket, sockets);
    client.on('data', () => note(performance.now()));
    client.pipe(gateway).pipe(client);
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    firstByte: () =>
      new Promise((resolve) => {
        note = resolve;
      }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  // A side that breaks off closes as well, which ends the other one.
  socket.on('error', () => {});
}
