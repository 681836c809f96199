/**
 * Blanks a secret out in a file to which a process may be writing. Invariants: the file stays the same one, of the same
 * length, so that its writer goes on at its end and what is counted in bytes stays true; however large it is, it is
 * looked through in pieces.
 */
import { open } from 'node:fs/promises';

const pieceBytes = 4 * 1024 * 1024;

/** Whether it held one of them. */
export async function blankOut(path: string, secrets: readonly Buffer[]): Promise<boolean> {
  const file = await open(path, 'r+');
  try {
    const longest = Math.max(...secrets.map(({ length }) => length));
    const piece = Buffer.alloc(pieceBytes + longest);
    let found = false;
    for (let at = 0; ; at += pieceBytes) {
      // Pieces overlap: none is cut in two.
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      const held = piece.subarray(0, bytesRead);
      for (const [offset, length] of placesOf(held, secrets)) {
        found = true;
        await file.write(Buffer.alloc(length, '*'), 0, length, at + offset);
      }
      if (bytesRead < piece.length) return found;
    }
  } finally {
    await file.close();
  }
}

function* placesOf(held: Buffer, secrets: readonly Buffer[]): Generator<readonly [number, number]> {
  for (const secret of secrets)
    for (let at = held.indexOf(secret); at >= 0; at = held.indexOf(secret, at + secret.length))
      yield [at, secret.length];
}
