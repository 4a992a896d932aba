import { scopeOf } from '../../core/accounts/scopes.ts';
import { mcpMessage } from '../../schemas/mcp.ts';
import { type Endpoint, endpoint, streamErrors } from '../http/endpoint.ts';
import type { McpCall } from '../mcp/protocol.ts';
import { serveMcp } from '../mcp/server.ts';
import { type Tool, toolsInScope, toolsOf } from '../mcp/tools.ts';

/** The tools are made of the other endpoints. */
export function mcpRoutes(endpoints: () => Endpoint[]): Endpoint[] {
  let tools: Tool[] | null = null;
  return [
    endpoint({
      operation: 'mcp.call',
      method: 'post',
      path: '/mcp',
      key: 'project',
      tag: 'mcp',
      summary: 'Tools for agents: the Model Context Protocol over Streamable HTTP',
      description:
        'The body is one JSON-RPC message. A message that needs no answer gets 202 without a body. The answer to a call that mails several people is an event stream, which asks the user to confirm their number. docs/mcp.md lists the tools.',
      body: mcpMessage,
      produces: ['application/json', 'text/event-stream'],
      events: mcpMessage,
      errors: streamErrors,
      faults: mcpMessage,
      also: { 202: 'The message needs no answer.' },
      ownOrigin: true,
      passesIdempotencyKey: true,
      handler: async (given) => {
        const call = given as McpCall;
        tools ??= toolsOf(endpoints());
        return serveMcp(toolsInScope(tools, scopeOf(call.apiKey)), call);
      },
    }),
  ];
}
