/** Short names for sessions that are shown together: the ends of their ids, which are random, as long as they must differ. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const longest = Math.max(...ids.map((id) => id.length));
  for (let length = 4; length < longest; length++) {
    const ends = ids.map((id) => id.slice(-length));
    if (new Set(ends).size === ids.length) return new Map(ids.map((id, at) => [id, ends[at] ?? id]));
  }
  return new Map(ids.map((id) => [id, id]));
}
