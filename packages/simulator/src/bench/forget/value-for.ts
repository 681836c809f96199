/** Values that nobody could guess, the same on every run: each id has one of its own. */

const words = ['kelp', 'moss', 'flint', 'amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove'];

/** A word, four digits and the id. */
export function valueFor(id: string): string {
  const hash = hashOf(id);
  return `${words[hash % words.length]}${1_000 + (hash % 8_999)}${id}`;
}

export function numberFor(id: string): string {
  return String(10_000 + (hashOf(`number ${id}`) % 89_999));
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
