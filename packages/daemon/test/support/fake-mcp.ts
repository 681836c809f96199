/** Outside tools without servers: what is known of them is what the test says, and calls are answered by it. */
import type { McpServer } from '@zerd/core/mcp/server';
import type { McpAnswer, McpCall, McpPort } from '@zerd/daemon/base/mcp-ports';

export interface FakeMcp extends McpPort {
  /** From now on these are known. */
  set(...servers: readonly McpServer[]): void;
  /** What reached a server. */
  readonly calls: readonly McpCall[];
  /** How often somebody asked for servers of which nothing is known. */
  learnt(): number;
}

export const says = (text: string): McpAnswer => ({ outcome: 'ok', content: [{ kind: 'text', text }] });

export function fakeMcp(
  servers: readonly McpServer[],
  answer: (call: McpCall) => McpAnswer | Promise<McpAnswer> = () => says('done'),
  learn: () => Promise<unknown> = async () => {},
): FakeMcp {
  let known = servers;
  let learnt = 0;
  const calls: McpCall[] = [];
  return {
    calls,
    learnt: () => learnt,
    set: (...now) => {
      known = now;
    },
    servers: () => known,
    async learn() {
      learnt += 1;
      await learn();
      return known;
    },
    async call(call) {
      calls.push(call);
      return answer(call);
    },
  };
}
