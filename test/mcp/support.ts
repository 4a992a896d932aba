import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';

export interface Question {
  message: string;
  requestedSchema: { properties: Record<string, { type: string; title?: string; default?: unknown }> };
}

export type AnswerOf = (question: Question) => ElicitResult | Promise<ElicitResult>;

export const yes: AnswerOf = () => ({ action: 'accept', content: { confirm: true } });
export const no: AnswerOf = () => ({ action: 'decline' });

interface Options {
  /** Left out: a client without elicitation. */
  answerOf?: AnswerOf;
  fetch?: typeof fetch;
}

/** The client of the official SDK, of the versions with sessions. */
export async function connect(url: string, key: string, { answerOf, fetch: fetching }: Options = {}): Promise<Client> {
  const capabilities = answerOf ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  if (answerOf) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(params as unknown as Question));
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    ...(fetching ? { fetch: fetching } : {}),
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

export interface Called {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every endpoint.
  data: any;
}

interface Caller {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

export async function use(client: Caller, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  return calledOf(await client.callTool({ name, arguments: given }));
}

export function calledOf(result: unknown): Called {
  const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean };
  const text = content.map((block) => block.text).join('\n');
  return { isError, text, data: dataIn(text) };
}

/** The JSON between the two marks. */
export function dataIn(text: string): unknown {
  const [, , json = ''] = /\nBEGIN DATA (\w+)\n(.*)\nEND DATA \1$/s.exec(text) ?? [];
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export function rpc(method: string, params: object = {}, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

export const initialize = (capabilities: object = {}, protocolVersion = '2025-11-25') =>
  rpc('initialize', { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1.0.0' } });
