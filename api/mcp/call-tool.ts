import { requireDomain } from '../../core/accounts/scopes.ts';
import type { EventStream } from '../http/endpoint.ts';
import { fingerprintOf } from '../http/fingerprint.ts';
import { inputOf } from './arguments.ts';
import { confirmByRepeat, repeatConfirmed } from './confirm-by-repeat.ts';
import { confirmInStream } from './confirm-in-stream.ts';
import { refuseCutText } from './content.ts';
import type { Peer } from './peer.ts';
import { mailings } from './people.ts';
import { codes, type Id, type Json, type McpCall, ProtocolError } from './protocol.ts';
import { faultAnswer, runTool } from './run.ts';
import type { Tool } from './tools.ts';

export async function callTool(call: McpCall, tools: Tool[], peer: Peer, id: Id): Promise<Json | EventStream> {
  const { tool, given } = namedTool(call, tools);
  try {
    refuseCutText(given);
    const input = inputOf(tool.endpoint, tool.inputSchema, given);
    requireDomain(call.apiKey, input.body);
    const named = { tool, input, hash: fingerprintOf('TOOL', tool.name, given) };
    // Before the plan, which refuses a campaign that was published by the first try, or counts its people again.
    const repeated = peer.isStateless ? await repeatConfirmed(call, named) : null;
    if (repeated) return repeated;
    const mailing = await mailings[tool.endpoint.operation]?.(call, input);
    if (!mailing) return await runTool(call, tool, input);
    const planned = { ...named, mailing };
    return await (peer.isStateless ? confirmByRepeat(call, peer, planned) : confirmInStream(call, peer, planned, id));
  } catch (error) {
    return faultAnswer(call, tool, error);
  }
}

function namedTool({ body: { params = {} } }: McpCall, tools: Tool[]): { tool: Tool; given: Json } {
  const { name, arguments: given = {} } = params as Json;
  const tool = tools.find((one) => one.name === name);
  if (!tool)
    throw new ProtocolError(codes.invalidParams, 'This key has no such tool; tools/list has those of its scope.');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ProtocolError(codes.invalidParams, 'arguments must be an object.');
  return { tool, given: given as Json };
}
