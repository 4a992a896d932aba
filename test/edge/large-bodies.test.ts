import { expect } from 'chai';
import type { LargeBody, Parsed } from '../../api/http/body/json.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { createPool } from '../../platform/threads/pool.ts';
import { shape } from '../../schemas/schema.ts';
import { serveRoutes } from '../feedback/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const AT_ONCE = 4;
const BODY = { text: 'x'.repeat(3_000_000) };

function slowEndpoint(answers: Array<() => void>) {
  return endpoint({
    operation: 'system.live',
    ...{ method: 'post', path: '/health/slow', key: 'none', tag: 'Test', summary: 'Late', bodyLimit: 'attachments' },
    body: shape({ type: 'object' }),
    handler: () => new Promise<void>((resolve) => answers.push(resolve)),
  });
}

describe('Large request bodies', function () {
  this.timeout(120_000);
  const environment = useEnvironment();

  it('count until they are answered: one more is 503 with Retry-After, and goes when one of them is over', async () => {
    const answers: Array<() => void> = [];
    const served = await serveRoutes(environment.deps, [slowEndpoint(answers)]);
    try {
      const calls = Array.from({ length: AT_ONCE }, () => served.visitor.post('/health/slow', BODY));
      await until(
        async () => answers.length,
        (entered) => entered === AT_ONCE,
      );
      const refused = await served.visitor.post('/health/slow', BODY);
      expect([refused.status, refused.body.error?.code]).to.deep.equal([503, 'UNAVAILABLE']);
      expect(refused.headers.get('retry-after')).to.equal('1');
      const small = served.visitor.post('/health/slow', { text: 'x' });
      await until(
        async () => answers.length,
        (entered) => entered === AT_ONCE + 1,
      );
      answers.pop()?.();
      expect((await small).status).to.equal(200);
      answers.pop()?.();
      await Promise.race(calls);
      const next = served.visitor.post('/health/slow', BODY);
      await until(
        async () => answers.length,
        (entered) => entered === AT_ONCE,
      );
      for (const answer of answers) answer();
      for (const call of [...calls, next]) expect((await call).status).to.equal(200);
    } finally {
      for (const answer of answers) answer();
      await served.stop();
    }
  });

  it('of more than 64 MiB together do not go at once, and one alone may have 60 MiB', async () => {
    const answers: Array<() => void> = [];
    const served = await serveRoutes(environment.deps, [slowEndpoint(answers)]);
    try {
      const first = served.visitor.post('/health/slow', { text: 'x'.repeat(59 * 1024 * 1024) });
      await until(
        async () => answers.length,
        (entered) => entered === 1,
      );
      const refused = await served.visitor.post('/health/slow', { text: 'x'.repeat(6 * 1024 * 1024) });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      const second = served.visitor.post('/health/slow', BODY);
      await until(
        async () => answers.length,
        (entered) => entered === 2,
      );
      for (const answer of answers) answer();
      expect([(await first).status, (await second).status]).to.deep.equal([200, 200]);
    } finally {
      for (const answer of answers) answer();
      await served.stop();
    }
  });
});

describe('A large request body that takes more processor time than it may', function () {
  this.timeout(120_000);
  const jsonPool = createPool<LargeBody, Parsed>('jsonBody', { limits: { cpuMs: 100, cpuMsPerMegabyte: 0 } });
  const environment = useEnvironment({}, { jsonPool });
  after(() => jsonPool.close());

  it('is 413 in the envelope and does nothing, and the next one is read by another thread', async () => {
    const { own, deps } = environment;
    const values = Array.from({ length: 300_000 }, (_, at) => `${at}`.padEnd(120, 'x'));
    const refused = await own.client.post('/mails/send', { values });
    expect(refused.status, refused.text).to.equal(413);
    expect(refused.body).to.deep.equal({
      success: false,
      error: {
        message: 'The body is not read: This takes more processor time than it may. Send less at a time.',
        code: 'BODY_TOO_LARGE',
      },
    });
    expect(await deps.db.messages.countDocuments({ projectId: own.project._id })).to.equal(0);
    const next = await own.client.post('/mails/send', { values: ['x'.repeat(1_100_000)] });
    expect([next.status, next.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
  });
});
