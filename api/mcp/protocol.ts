import type { ApiKey } from '../../core/accounts/model.ts';
import { INTERFACE_VERSION } from '../../schemas/common.ts';
import type { mcpMessage } from '../../schemas/mcp.ts';
import type { Described } from '../../schemas/schema.ts';
import { type Call, Page, type ServerEvent } from '../http/endpoint.ts';

export type Message = Described<typeof mcpMessage>;
/** Only keys speak to the server, by the table of operations. */
export type McpCall = Call<Message, Record<string, never>> & { apiKey: ApiKey };
export type Id = NonNullable<Message['id']>;
export type Json = Record<string, unknown>;

/** The version without sessions: each request says what its client can do, and a question is answered by a repeat of the request. */
export const STATELESS_VERSION = '2026-07-28';
/** Versions that begin with `initialize`, and have questions in the stream of the answer. The latest comes first. */
export const SESSION_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18'];
export const VERSIONS: readonly string[] = [STATELESS_VERSION, ...SESSION_VERSIONS];

export const codes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** A fault of the message itself. Faults of the call that a tool makes are answers of the tool. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly status: number;
  constructor(code: number, message: string, { status = 200, data }: { status?: number; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

export const serverInfo = { name: 'everpost', title: 'Everpost', version: INTERFACE_VERSION };

export function resultMessage(id: Id, result: Json): Json {
  return { jsonrpc: '2.0', id, result };
}

interface Fault {
  code: number;
  message: string;
  data?: unknown;
}

export function errorMessage(id: Id | undefined, { code, message, data }: Fault): Json {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

export function page(message: Json, status = 200, headers: Record<string, string> = {}): Page {
  return new Page(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers }, JSON.stringify(message));
}

/** The answer to notifications and answers. */
export function accepted(): Page {
  return new Page(202, {}, null);
}

export function event(message: Json): ServerEvent {
  return { event: 'message', data: message };
}
