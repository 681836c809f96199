/** Lists of ascending numbers as bytes: each number is the distance to the one before, in groups of seven bits. */

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
  return numbers.subarray(0, count);
}

export function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const common = new Uint32Array(Math.min(a.length, b.length));
  let [i, j, count] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i] ?? 0, b[j] ?? 0];
    if (left === right) {
      common[count] = left;
      count += 1;
    }
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return common.subarray(0, count);
}

export function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const merged = new Uint32Array(a.length + b.length);
  let [i, j, count] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const left = i < a.length ? (a[i] ?? 0) : Infinity;
    const right = j < b.length ? (b[j] ?? 0) : Infinity;
    merged[count] = Math.min(left, right);
    count += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return merged.subarray(0, count);
}
