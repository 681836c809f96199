/** The long s and the Kelvin sign: the only characters beyond ASCII whose small letter is ASCII. */

const letters = [
  { bytes: Buffer.from('\u017f'), letter: 's' },
  { bytes: Buffer.from('\u212a'), letter: 'k' },
];

/** The first place of one from a place on; -1: there is none. */
export function nextSpecial(bytes: Buffer, from = 0): number {
  const places = letters.map((special) => bytes.indexOf(special.bytes, from)).filter((at) => at >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Where in the bytes a place of the text without specials is. */
export function placeAmongSpecials(bytes: Buffer, place: number): number {
  let at = place;
  for (let special = nextSpecial(bytes); special >= 0 && special < at; special = nextSpecial(bytes, special + 1)) {
    at += lengthAt(bytes, special) - 1;
  }
  return at;
}

function lengthAt(bytes: Buffer, at: number): number {
  return letters.find((special) => special.bytes[0] === bytes[at])?.bytes.length ?? 1;
}

/** The same text with ASCII letters in their place. */
export function withoutSpecials(bytes: Buffer): Buffer {
  let text = bytes.toString('latin1');
  for (const special of letters) text = text.replaceAll(special.bytes.toString('latin1'), special.letter);
  return Buffer.from(text, 'latin1');
}
