/** A room of outside tools in which there are none. */
import type { McpDesk } from '../../src/base/mcp-ports.ts';

export const noMcp: McpDesk = {
  servers: () => [],
  learn: () => Promise.resolve([]),
  call: () => Promise.resolve({ outcome: 'failed', content: [] }),
  list: () => ({ servers: [], warnings: [] }),
  approve() {},
  revoke: () => false,
  restart: () => Promise.resolve(),
  lend: () => [],
  left: () => [],
  close: () => Promise.resolve(),
};
