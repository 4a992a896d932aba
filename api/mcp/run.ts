import { ObjectId } from 'mongodb';
import { Answer, type Endpoint, LongPage } from '../http/endpoint.ts';
import { faultOf } from '../http/errors.ts';
import { type Answered, takesIdempotencyKey, withIdempotency } from '../http/idempotency.ts';
import { envelopeOf } from '../http/respond.ts';
import { type Input, pathOf } from './arguments.ts';
import { dataResult, faultResult, shownPage } from './content.ts';
import { type Json, type McpCall, ProtocolError } from './protocol.ts';
import type { Tool } from './tools.ts';

type First = { seed: ObjectId; at: Date };

/**
 * The handler of the endpoint, as the same call over HTTP would run it. Scope and rate of the key were checked when the message came; the
 * limit of a costly endpoint is its own. With a confirmation it is run once, whatever Idempotency-Keys its repeats have.
 */
export async function runTool(
  call: McpCall,
  { endpoint }: Tool,
  input: Input,
  confirmation: string | null = null,
): Promise<Json> {
  const { deps, project, apiKey, organization, request } = call;
  const { params, query, body } = input;
  call.limitCostly(endpoint);
  const run = async ({ seed, at }: First) => {
    const { id, ip, incoming, header } = request;
    // A getter: each reading adds a listener to the response.
    const own = {
      ...{ id, ip, incoming, header, seed, at },
      get signal() {
        return request.signal;
      },
      get held() {
        return request.held;
      },
    };
    return endpoint.handler({
      deps,
      project,
      apiKey,
      member: null,
      organization,
      params,
      query,
      body,
      request: own,
    } as never);
  };
  const first = { seed: new ObjectId(), at: deps.clock.now() };
  const keys = [input.idempotencyKey ?? headerKey(call, endpoint), confirmation].filter((key) => key !== null);
  if (keys.length === 0) return dataResult(await dataOf(await run(first)));
  const keyed = { tenant: project._id, path: pathOf(endpoint, params), body, endpoint, requestId: request.id };
  const once = keys.reduce<(first: First) => Promise<Answered>>(
    (work, key) => () => withIdempotency(deps, { ...keyed, key }, work),
    async (first) => envelopeOf(endpoint, await run(first)),
  );
  return dataResult(JSON.parse((await once(first)).body).data);
}

function dataOf(result: unknown): unknown {
  if (result instanceof LongPage) return shownPage(result);
  return result instanceof Answer ? result.data : result;
}

/** Faults of the interface are answers of the tool, so that the agent reads them. */
export function faultAnswer({ deps, request }: McpCall, { name }: Tool, error: unknown): Json {
  if (error instanceof ProtocolError) throw error;
  return faultResult(faultOf(deps, { requestId: request.id, route: `mcp ${name}` }, error));
}

function headerKey({ request }: McpCall, endpoint: Endpoint): string | null {
  const given = request.header('idempotency-key');
  return given === '' || !takesIdempotencyKey(endpoint) ? null : given;
}
