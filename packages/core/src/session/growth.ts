/** How collections grow: in place while a fold owns them, else as a copy. */
export interface Growth {
  push<T>(list: readonly T[], item: T): readonly T[];
  add<T>(set: ReadonlySet<T>, items: readonly T[]): ReadonlySet<T>;
  put<K extends string, V>(map: ReadonlyMap<K, V>, entries: readonly (readonly [K, V])[]): ReadonlyMap<K, V>;
}

export const copying: Growth = {
  push: (list, item) => [...list, item],
  add: (set, items) => (items.length === 0 ? set : inPlace.add(new Set(set), items)),
  put: (map, entries) => (entries.length === 0 ? map : inPlace.put(new Map(map), entries)),
};

export const inPlace: Growth = {
  push(list, item) {
    (list as (typeof item)[]).push(item);
    return list;
  },
  add(set, items) {
    for (const item of items) (set as Set<typeof item>).add(item);
    return set;
  },
  put(map, entries) {
    for (const [key, value] of entries) (map as Map<typeof key, typeof value>).set(key, value);
    return map;
  },
};
