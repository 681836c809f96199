/** Where an address leads, for people: host and port, and nothing of a user, a path or a query, which may hold a key. */
export function placeIn(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
}
