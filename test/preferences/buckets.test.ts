import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { endpointTable } from '../../api/http/table.ts';
import { unsubscribeToken, viewToken } from '../../core/mail/compose/tokens.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { refOf, sentMessage, serveRoutes } from '../feedback/support.ts';
import type { Client } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';

const LIMIT = 3;
/** Twice the limit and one, for a minute may turn in the middle of the run. */
const FLOOD = 2 * LIMIT + 1;

describe('The limits of public pages', () => {
  const environment = useEnvironment();
  let server: Awaited<ReturnType<typeof serveRoutes>>;
  beforeEach(async () => {
    const { deps } = environment;
    const config = { ...deps.config, publicRateLimit: LIMIT };
    server = await serveRoutes({ ...deps, config }, endpointTable(createMetrics()));
  });
  afterEach(() => server.stop());

  const floods = async (visitor: Client, path: string) => {
    const statuses: number[] = [];
    for (let count = 0; count < FLOOD; count += 1) statuses.push((await visitor.get(path)).status);
    return statuses;
  };
  async function mail() {
    const { config } = environment.deps;
    const message = await sentMessage(environment, environment.own);
    const token = unsubscribeToken(config, { ...refOf(message), groupId: null, email: message.email });
    return { token, view: viewToken(config, refOf(message)) };
  }
  const kinds: Record<string, (id: string) => string> = {
    'pixels and links': (id) => `/t/o/${id}.gif`,
    pictures: (id) => `/media/${id}.png`,
    forms: (id) => `/f/${id}`,
    unsubscribing: (id) => `/u/${id}`,
    preferences: (id) => `/p/${id}`,
    views: (id) => `/v/${id}`,
    'signing in': (id) => `/sign-in/${id}`,
  };

  for (const [flooded, path] of Object.entries(kinds))
    it(`are of each kind for itself: a flood of ${flooded} stops no other`, async () => {
      const id = new ObjectId().toHexString();
      expect(await floods(server.visitor, path(id)), flooded).to.include(429);
      for (const [other, pathOf] of Object.entries(kinds))
        if (other !== flooded) expect((await server.visitor.get(pathOf(id))).status, other).to.not.equal(429);
    });

  it('are of a link of ours for itself, on each of its pages, however many guesses came from the address', async () => {
    for (const path of ['/u/guess', '/p/guess', '/v/guess']) expect(await floods(server.visitor, path)).to.include(429);
    const [one, other] = [await mail(), await mail()];
    expect(await floods(server.visitor, `/p/${one.token}`))
      .to.include(200)
      .and.to.include(429);
    for (const path of [`/u/${one.token}`, `/p/${other.token}`, `/u/${other.token}`])
      expect((await server.visitor.get(path)).status, path).to.equal(200);
    expect(await floods(server.visitor, `/v/${one.view}`)).to.include(429);
    expect((await server.visitor.get(`/v/${other.view}`)).status).to.equal(404);
  });
});
