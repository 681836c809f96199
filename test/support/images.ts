/** Small images for tests, made byte by byte: whole ones, and what can be cut of them. */
import { deflateSync } from 'node:zlib';

/** A PNG of one colour. Its check sums are right. */
export function png(width: number, height: number, colour = 0): Buffer {
  const rows = Buffer.alloc(height * (1 + width), colour);
  for (let y = 0; y < height; y++) rows[y * (1 + width)] = 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function crc(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** As little of a JPEG as its readers look at: a preview with an end of its own, the size, the scan, the end. */
export function jpeg(width: number, height: number): Buffer {
  const size = Buffer.from([0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const preview = Buffer.from([0xff, 0xe1, 0, 8, 1, 2, 0xff, 0xd9, 3, 4]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34, 0xff, 0xd9]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), preview, size, scan]);
}

export function gif(width: number, height: number): Buffer {
  const screen = Buffer.from([width & 255, width >> 8, height & 255, height >> 8, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const image = Buffer.from([
    0x2c,
    0,
    0,
    0,
    0,
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
    0,
    2,
    2,
    0x4c,
    1,
    0,
  ]);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]),
    image,
    Buffer.from([0x3b]),
  ]);
}

/** Lossless, and nothing in it. */
export function webp(width: number, height: number): Buffer {
  const bits = (width - 1) | ((height - 1) << 14);
  const data = Buffer.alloc(10);
  data[0] = 0x2f;
  data.writeUInt32LE(bits >>> 0, 1);
  const head = Buffer.alloc(20);
  head.write('RIFF', 0);
  head.writeUInt32LE(12 + data.length, 4);
  head.write('WEBPVP8L', 8);
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}
