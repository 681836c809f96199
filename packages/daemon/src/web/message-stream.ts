/**
 * Carries the protocol over a WebSocket as the pair of streams that a link takes: each text message is one JSON-RPC
 * message. Invariant: what the other side has not taken yet counts as unwritten, so that a slow client is noticed (F-33).
 */
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

export function messageStream(socket: WebSocket): Duplex {
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (frame: Buffer, _encoding, done) => socket.send(bodyOf(frame), { binary: false }, done),
    final(done) {
      socket.close(1000);
      done();
    },
    destroy(error, done) {
      socket.terminate();
      done(error);
    },
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return socket.close(1003, 'JSON-RPC comes as text');
    stream.push(`Content-Length: ${data.length}${headerEnd}`);
    if (!stream.push(data)) socket.pause();
  });
  // What is wrong with a frame ends the connection: 'close' follows.
  socket.on('error', () => {});
  socket.on('close', () => stream.destroy());
  return stream;
}

const headerEnd = '\r\n\r\n';

/** A link writes whole frames, one at a time. */
function bodyOf(frame: Buffer): Buffer {
  return frame.subarray(frame.indexOf(headerEnd) + headerEnd.length);
}
