/**
 * Servers that clients lend for as long as they are connected: an editor's, which are its user's own. Invariant: they are
 * held in memory alone, what the configuration names goes before them, and with the client they are gone.
 */
import type { NamedEntry } from '@zerd/core/mcp/entries';
import type { McpSettings } from '@zerd/core/mcp/settings';

export interface Lent {
  /** The settings with what is lent now. */
  settings(): McpSettings;
  /** `until` settles when whoever lends them is gone; then `over` is called. */
  add(entries: readonly NamedEntry[], until: Promise<unknown>, over: () => void): void;
}

export function createLent(own: () => McpSettings): Lent {
  const lent = new Set<readonly NamedEntry[]>();
  return {
    settings() {
      const settings = own();
      if (lent.size === 0) return settings;
      const servers = new Map<string, NamedEntry>();
      for (const one of [...settings.servers, ...[...lent].flat()])
        if (!servers.has(one.name)) servers.set(one.name, one);
      return { ...settings, servers: [...servers.values()] };
    },
    add(entries, until, over) {
      if (entries.length === 0) return;
      // Each time another list: two clients may lend the same.
      const own = [...entries];
      lent.add(own);
      void until.then(() => {
        lent.delete(own);
        over();
      });
    },
  };
}
