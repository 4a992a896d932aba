import { expect } from 'chai';
import { systemRoutes } from '../../api/routes/system.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { serveRoutes } from '../feedback/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

describe('GET /health/ready', () => {
  const environment = useEnvironment();

  it('asks the servers once a second at most, however many ask it', async () => {
    const { deps } = environment;
    let asked = 0;
    const isUp = () => {
      asked += 1;
      return deps.workflows.isUp();
    };
    const counting = { ...deps, workflows: { ...deps.workflows, isUp } };
    const served = await serveRoutes(
      counting,
      systemRoutes(() => [], createMetrics()),
    );
    try {
      const ready = () => served.visitor.get('/health/ready');
      const askedAfter = () => ready().then(() => asked);
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: 50 }, ready));
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
      expect(asked).to.be.within(1, 1 + (performance.now() - began) / 1_000);
      const times = asked;
      await until(askedAfter, (now) => now > times);
      expect(performance.now() - began).to.be.at.least(asked * 1_000 - 1_000);
    } finally {
      await served.stop();
    }
  });
});
