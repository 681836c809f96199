/**
 * Lists of ascending numbers as bytes: each number is the distance to the one before. In a varint it goes in groups of
 * seven bits, which are quickly copied; packed, in groups of three, two to a byte, which takes a third less.
 */

/** `into` must have room for five bytes a number; gives the place behind. */
export function writeVarint(into: Uint8Array, at: number, value: number): number {
  let [place, rest] = [at, value];
  while (rest >= 0x80) {
    into[place] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
    place += 1;
  }
  into[place] = rest;
  return place + 1;
}

export function encodePostings(numbers: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 5);
  let [at, before] = [0, 0];
  for (const number of numbers) {
    at = writeVarint(bytes, at, number - before);
    before = number;
  }
  return bytes.slice(0, at);
}

export function decodePostings(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(bytes.length);
  return numbers.subarray(0, decodeInto(bytes, numbers));
}

/** `numbers` must have room for a number a byte; gives how many there are. */
export function decodeInto(bytes: Uint8Array, numbers: Uint32Array): number {
  let [count, value, part, shift] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    part |= (byte & 0x7f) << shift;
    if (byte >= 0x80) shift += 7;
    else {
      value += part;
      numbers[count] = value;
      count += 1;
      part = 0;
      shift = 0;
    }
  }
  return count;
}

/** Half a byte that stands for nothing: it fills the last byte of a packed list. */
const filler = 8;

/** `into` must have room for six bytes a number; gives the place behind. */
export function packPostings(numbers: Uint32Array, count: number, into: Uint8Array, from: number): number {
  let [at, low, before] = [from, -1, 0];
  for (let n = 0; n < count; n += 1) {
    const number = numbers[n] as number;
    let rest = number - before;
    before = number;
    while (true) {
      const half = rest >= 8 ? (rest & 7) | 8 : rest;
      if (low < 0) low = half;
      else {
        into[at] = low | (half << 4);
        at += 1;
        low = -1;
      }
      if (rest < 8) break;
      rest >>>= 3;
    }
  }
  if (low < 0) return at;
  into[at] = low | (filler << 4);
  return at + 1;
}

/** `into` must have room for two numbers a byte; gives how many there are. */
export function unpackPostings(bytes: Uint8Array, into: Uint32Array): number {
  let [count, value, part, shift] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    part |= (byte & 7) << shift;
    if ((byte & 8) !== 0) shift += 3;
    else {
      value += part;
      into[count] = value;
      count += 1;
      part = 0;
      shift = 0;
    }
    part |= ((byte >>> 4) & 7) << shift;
    if (byte >= 0x80) shift += 3;
    else {
      value += part;
      into[count] = value;
      count += 1;
      part = 0;
      shift = 0;
    }
  }
  return count;
}

export function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const common = new Uint32Array(Math.min(a.length, b.length));
  let [i, j, count] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    if (left === right) {
      common[count] = left;
      count += 1;
    }
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return common.subarray(0, count);
}

export interface Marked {
  readonly numbers: Uint32Array;
  /** For each number the lists that hold it: bit n for list n. */
  readonly marks: Uint16Array;
}

/** At most sixteen lists. */
export function markedUnion(lists: readonly Uint32Array[]): Marked {
  let merged: Marked = { numbers: new Uint32Array(0), marks: new Uint16Array(0) };
  lists.forEach((list, n) => {
    merged = withList(merged, list, 1 << n);
  });
  return merged;
}

function withList({ numbers, marks }: Marked, list: Uint32Array, mark: number): Marked {
  const all = new Uint32Array(numbers.length + list.length);
  const allMarks = new Uint16Array(all.length);
  let [i, j, count] = [0, 0, 0];
  while (i < numbers.length || j < list.length) {
    const left = i < numbers.length ? (numbers[i] ?? 0) : Infinity;
    const right = j < list.length ? (list[j] ?? 0) : Infinity;
    all[count] = Math.min(left, right);
    allMarks[count] = (left <= right ? (marks[i] ?? 0) : 0) | (right <= left ? mark : 0);
    count += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return { numbers: all.subarray(0, count), marks: allMarks.subarray(0, count) };
}

export function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  return withList({ numbers: a, marks: new Uint16Array(a.length) }, b, 0).numbers;
}
