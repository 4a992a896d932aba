import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fullPath } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type ProviderA, startProviderA } from '../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../providers/provider-b.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { readRequests, requestMaker } from '../support/written-requests.ts';

const requests = readRequests();

describe('docs/requests.http', () => {
  let environment: Environment;
  let a: ProviderA;
  let b: ProviderB;
  let make: ReturnType<typeof requestMaker>;
  before(async () => {
    [a, b] = [await startProviderA([]), await startProviderB([])];
    environment = await startEnvironment({ PROVIDER_A_URL: a.url, PROVIDER_B_URL: b.url });
    await seedVerifiedDomain(environment.deps, environment.own.project, 'demo.everpost.test', new ObjectId());
    make = requestMaker(environment);
  });
  after(async () => {
    await environment.stop();
    await Promise.all([a.stop(), b.stop()]);
  });

  it('has a request for every endpoint', () => {
    const patterns = endpointTable(createMetrics()).map((endpoint) => ({
      shown: `${endpoint.method.toUpperCase()} ${fullPath(endpoint, endpoint.path)}`,
      form: new RegExp(
        `^${endpoint.method} ${fullPath(endpoint, endpoint.path)
          .replace(/[.]/g, '\\.')
          .replace(/\{\w+\}/g, '[^/]+')}$`,
        'i',
      ),
    }));
    const made = requests.map(({ method, url }) => `${method} ${url.replace('{{url}}', '').split('?')[0]}`);
    expect(
      patterns.filter(({ form }) => !made.some((request) => form.test(request))).map(({ shown }) => shown),
    ).to.deep.equal([]);
  });

  for (const request of requests)
    it(`runs: ${request.title}`, async () => {
      const { status, text } = await make(request);
      if (request.expected === null) expect(status, text.slice(0, 500)).to.be.within(200, 299);
      else expect(status, text.slice(0, 500)).to.equal(request.expected);
    });
});
