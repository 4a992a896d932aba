import { schema } from './schema.ts';

const METHOD_MAX = 256;
const ID_MAX = 256;

/** One message of JSON-RPC 2.0: a request, a notification (no id), or the client's answer to a question (no method). */
export const mcpMessage = schema({
  title: 'McpMessage',
  type: 'object',
  'x-hint': 'one message: batches are not taken',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { type: ['string', 'integer'], maxLength: ID_MAX },
    method: { type: 'string', maxLength: METHOD_MAX },
    params: { type: 'object' },
    result: { type: 'object' },
    error: { type: 'object' },
  },
});
