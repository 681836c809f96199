/** Rows of outside tools: MCP servers, the user's word for those of a repository, and their tools. */
import { z } from 'zod';
import { done, nothing } from './fields.ts';
import { request } from './row.ts';

const name = z.string().describe('Of a server, as the configuration or `.mcp.json` has it.');
const digest = z.string().describe('Of what it is made of, as `mcp/list` told it.');

const serverSchema = z.object({
  name,
  source: z.enum(['user', 'repository']).describe('Whose entry it is.'),
  text: z
    .string()
    .describe('The whole command or address, on one line and with nothing hidden; of variables and headers the names.'),
  digest,
  files: z.array(z.string()).describe('The files of the workspace that the digest covers besides the entry.'),
  state: z
    .enum(['ready', 'unknown', 'unapproved', 'failed'])
    .describe(
      '`ready`: its tools are known, from it or from an earlier connection; `unknown`: it was not needed yet; `unapproved`: the repository names it and the user has not said yes to what stands there now.',
    ),
  connected: z.boolean(),
  connecting: z.boolean().optional().describe('It was begun, and its tools are not listed yet.'),
  why: z.string().optional().describe('Why it could not be used when it was last tried.'),
  tools: z
    .array(z.object({ name: z.string(), says: z.string() }))
    .describe('Each with the first line of what it says.'),
  leftOut: z.array(z.string()).describe('Why tools of it are left out, a sentence each.'),
});

const listed = z.object({
  servers: z.array(serverSchema),
  warnings: z.array(z.string()).describe('What of the entries has no effect, or not the one that was meant.'),
});

export const mcpMethods = {
  'mcp/list': request(
    'none',
    'Lists the MCP servers and what is known of their tools. Starts nothing.',
    nothing,
    listed,
  ),
  'mcp/approve': request(
    'daemon',
    'Says yes to a server that the repository names, as it stands now: another byte of its entry or of a file that it names, and it is not started.',
    z.strictObject({ name, digest }),
    done,
  ),
  'mcp/revoke': request(
    'daemon',
    'Takes that word back, and ends the server.',
    z.strictObject({ name }),
    z.object({ revoked: z.boolean().describe('False: there was none.') }),
  ),
  'mcp/restart': request(
    'none',
    'Ends a server and connects it anew, in the environment of this client. Answers when its tools are known or it has failed.',
    z.strictObject({ name }),
    listed,
  ),
  'mcp/lend': request(
    'none',
    'Adds servers of the user of this client, such as an editor has, for as long as it is connected. What the configuration names goes before them.',
    z.strictObject({
      servers: z.record(z.string(), z.unknown()).describe('By name, as `mcp.servers` of the configuration has them.'),
    }),
    z.object({ faults: z.array(z.string()).describe('What of them has no effect, and why.') }),
  ),
  'mcp/call': request(
    'none',
    'Calls a tool, connecting its server where that is needed. What it answers is no part of any session.',
    z.strictObject({ server: name, tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
    z.object({
      outcome: z
        .enum(['ok', 'failed', 'interrupted', 'unknown'])
        .describe('`unknown`: it got no answer, and may have taken effect.'),
      content: z.array(
        z.union([
          z.object({ kind: z.literal('text'), text: z.string() }),
          z.object({ kind: z.literal('binary'), type: z.string(), bytes: z.int() }),
          z.object({ kind: z.literal('link'), uri: z.string(), name: z.string() }),
        ]),
      ),
    }),
  ),
} as const;
