export type Id = string | number;

/** A message of JSON-RPC: a request, a notification (no id), or an answer (no method). */
export interface Message {
  jsonrpc?: string;
  id?: Id;
  method?: string;
  params?: { _meta?: Record<string, unknown>; name?: unknown; requestId?: Id };
  result?: { protocolVersion?: string };
  error?: { message?: string };
}

export const PARSE_ERROR = -32700;
export const INTERNAL_ERROR = -32603;
const VERSION_OF_REQUEST = 'io.modelcontextprotocol/protocolVersion';

/** null: not an object of JSON. */
export function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : null;
  } catch {
    return null;
  }
}

export function isRequest({ id, method }: Message): boolean {
  return id !== undefined && method !== undefined;
}

export function errorFor(id: Id | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Versions without sessions say everything in each request, and some of it in the headers too; the others name their session. */
export function headersOf({ method = '', params }: Message, session: Record<string, string>): Record<string, string> {
  const version = params?._meta?.[VERSION_OF_REQUEST];
  if (typeof version !== 'string') return session;
  const headers = { 'MCP-Protocol-Version': headerValue(version), 'Mcp-Method': headerValue(method) };
  return typeof params?.name === 'string' ? { ...headers, 'Mcp-Name': headerValue(params.name) } : headers;
}

/** The session that the answer to `initialize` begins. */
export function sessionOf({ headers }: Response, { result }: Message): Record<string, string> {
  const id = headers.get('mcp-session-id');
  const version = result?.protocolVersion;
  return { ...(id ? { 'Mcp-Session-Id': id } : {}), ...(version ? { 'MCP-Protocol-Version': version } : {}) };
}

function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
