import { AppError } from '../../core/base/errors.ts';
import {
  codes,
  type Json,
  type McpCall,
  type Message,
  ProtocolError,
  STATELESS_VERSION,
  VERSIONS,
} from './protocol.ts';
import { readSession, type Session } from './session.ts';

/** The client of one message. */
export interface Peer {
  isStateless: boolean;
  /** Whether it shows forms to its user. */
  hasForms: boolean;
  session: Session | null;
}

const META = 'io.modelcontextprotocol/';

export function peerOf(call: McpCall): Peer {
  const { body: message, request } = call;
  const meta = (message.params?._meta ?? {}) as Json;
  const said = meta[`${META}protocolVersion`];
  const version = request.header('mcp-protocol-version');
  if (said !== undefined && said !== version)
    throw mismatch(`MCP-Protocol-Version is ${version || 'missing'}, and _meta says ${String(said).slice(0, 20)}.`);
  if (version !== '' && !VERSIONS.includes(version)) throw unsupported(version);
  if (version === STATELESS_VERSION) return statelessPeer(message, meta, call);
  const session = sessionOf(call);
  return { isStateless: false, hasForms: session?.hasForms ?? false, session };
}

/** An empty `elicitation` means forms. */
export function hasForms(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: Json };
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

function statelessPeer(message: Message, meta: Json, { request }: McpCall): Peer {
  const capabilities = meta[`${META}clientCapabilities`];
  if (message.method === undefined || message.id === undefined)
    throw new ProtocolError(codes.invalidRequest, `${STATELESS_VERSION} has only requests from clients.`, {
      status: 400,
    });
  if (meta[`${META}protocolVersion`] === undefined || typeof capabilities !== 'object' || capabilities === null)
    throw new ProtocolError(
      codes.invalidParams,
      `params._meta needs ${META}protocolVersion and ${META}clientCapabilities.`,
      { status: 400 },
    );
  requireHeader(request.header('mcp-method'), message.method, 'Mcp-Method');
  if (message.method === 'tools/call') requireHeader(request.header('mcp-name'), message.params?.name, 'Mcp-Name');
  return { isStateless: true, hasForms: hasForms(capabilities), session: null };
}

/** Proxies decide by the header, so it has to say the same as the body. */
function requireHeader(given: string, right: unknown, name: string): void {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(given)?.[1];
  const value = encoded === undefined ? given : Buffer.from(encoded, 'base64').toString();
  if (value !== right) throw mismatch(`${name} is ${given ? 'not what the body says' : 'missing'}.`);
}

function sessionOf({ deps, apiKey, request }: McpCall): Session | null {
  const token = request.header('mcp-session-id');
  if (token === '') return null;
  const session = readSession(deps.config, token);
  if (session?.apiKeyId.equals(apiKey._id)) return session;
  throw new AppError('not_found', 'This session is unknown, or of another key; begin a new one with initialize.', {
    code: 'NOT_FOUND',
  });
}

function mismatch(message: string): ProtocolError {
  return new ProtocolError(codes.headerMismatch, `Headers and body differ: ${message}`, { status: 400 });
}

function unsupported(requested: string): ProtocolError {
  return new ProtocolError(codes.unsupportedVersion, 'Unsupported protocol version', {
    status: 400,
    data: { supported: VERSIONS, requested: requested.slice(0, 20) },
  });
}
