import { expect } from 'chai';
import { endpoint } from '../../api/endpoint.ts';
import { shape } from '../../schemas/schema.ts';
import { serveRoutes } from '../comes-back/support.ts';
import { type Environment, startEnvironment } from '../environment.ts';
import { until } from '../wait.ts';

const AT_ONCE = 4;
const BODY = { text: 'x'.repeat(3_000_000) };

describe('Large request bodies', () => {
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment();
  });
  after(() => environment.stop());

  it('count until they are answered: one more is 503 with Retry-After, and goes when one of them is over', async () => {
    const answers: Array<() => void> = [];
    const slow = endpoint({
      ...{
        method: 'post',
        path: '/health/slow',
        key: 'none',
        tag: 'Test',
        summary: 'Answers late',
        bodyLimit: 'attachments',
      },
      body: shape({ type: 'object' }),
      handler: () => new Promise<void>((resolve) => answers.push(resolve)),
    });
    const served = await serveRoutes(environment.deps, [slow]);
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
});
