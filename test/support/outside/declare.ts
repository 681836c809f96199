/** Declares outside tools as servers do, for catalogues of made-up vendors. */
import type { McpServer, McpTool } from '@zerd/core/mcp/server';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';

export type Parameters = Readonly<Record<string, JsonObject>>;

export const text = (description: string): JsonObject => ({ type: 'string', description });
export const number = (description: string): JsonObject => ({ type: 'number', description });
export const flag = (description: string): JsonObject => ({ type: 'boolean', description, default: false });
export const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description });
export const oneOf = (description: string, ...choices: readonly string[]): JsonObject => ({
  ...{ type: 'string', enum: choices, description },
});

export function tool(name: string, description: string, needed: Parameters = {}, optional: Parameters = {}): McpTool {
  return {
    name,
    description,
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { ...needed, ...optional } as JsonValue,
      required: Object.keys(needed),
      additionalProperties: false,
    },
  };
}

export function ready(name: string, tools: readonly McpTool[]): McpServer {
  return { name, state: { kind: 'ready', tools, instructions: '' } };
}

export const page = {
  page: number('Page number of the results, from 1'),
  perPage: number('Results per page, at most 100'),
};
