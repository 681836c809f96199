/** Parameters without the fields that are there but undefined: a port's optional field is either given or absent. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

export function given<T extends object>(params: T): Given<T> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Given<T>;
}
