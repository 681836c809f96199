/** Reads where a WebSocket is to be served. Invariant (S-03): nothing but this machine's own loopback, however it is spelt. */

export interface WebAddress {
  readonly host: '127.0.0.1' | '::1';
  /** 0: one that is free. */
  readonly port: number;
}

const hosts: Readonly<Record<string, WebAddress['host']>> = {
  '127.0.0.1': '127.0.0.1',
  localhost: '127.0.0.1',
  '[::1]': '::1',
  '::1': '::1',
};

/** `[HOST:]PORT`, or what is wrong with it. */
export function webAddress(text: string): WebAddress | { readonly wrong: string } {
  const [, host, digits] = /^(?:(.*):)?(\d{1,5})$/s.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return { wrong: `--ws takes [HOST:]PORT, not ${JSON.stringify(text)}` };
  const known = host === undefined ? '127.0.0.1' : Object.hasOwn(hosts, host) ? hosts[host] : undefined;
  if (known !== undefined) return { host: known, port };
  return {
    wrong: `--ws serves only 127.0.0.1, ::1 or localhost, not ${JSON.stringify(host)}: whoever reaches it can run commands as you. To use it from elsewhere forward the port over ssh`,
  };
}
