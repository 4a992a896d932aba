import { isInScope, operationNames, operations, type Scope, type ToolOptions } from '../../schemas/operations.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { argumentsSchema } from './arguments.ts';
import { mailings } from './people.ts';
import type { Json } from './protocol.ts';

export interface Tool {
  name: string;
  endpoint: Endpoint;
  inputSchema: JsonSchema;
  /** As `tools/list` shows it. */
  definition: Json;
}

/** The operations that are marked in schemas/operations.ts, in their order there. */
export function toolsOf(endpoints: Endpoint[]): Tool[] {
  return operationNames.flatMap((operation) => {
    const options = operations[operation].tool;
    const endpoint = endpoints.find((one) => one.operation === operation);
    return options && endpoint ? [toolOf(endpoint, options)] : [];
  });
}

/** A tool that a key may not use does not exist for it. */
export function toolsInScope(tools: Tool[], scope: Scope): Tool[] {
  return tools.filter(({ endpoint }) => isInScope(scope, endpoint.operation));
}

/** Model interfaces take no dots in names. */
function toolOf(endpoint: Endpoint, options: ToolOptions): Tool {
  const { operation } = endpoint;
  const { name = operation.replace('.', '_'), readOnlyHint, destructiveHint } = options;
  const title = options.title ?? operation.replace('.', ': ');
  const inputSchema = argumentsSchema(endpoint, options);
  const annotations = { title, readOnlyHint, destructiveHint };
  const definition = { name, title, description: describe(endpoint, options), inputSchema, annotations };
  return { name, endpoint, inputSchema, definition };
}

function describe({ operation, summary, description }: Endpoint, { note }: ToolOptions): string {
  const asks =
    operation in mailings
      ? 'Before mail to several people, Everpost asks the user to confirm their number.'
      : undefined;
  return [`${summary}.`, description, note, asks].filter((part) => part !== undefined).join(' ');
}
