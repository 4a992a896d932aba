import { expect } from 'chai';
import { type WaitingMails, waitingMails } from '../../core/figures/live/waiting.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { measureWaiting } from '../../workers/waiting.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { until } from '../support/wait.ts';

describe('Mail that waits, for operators', () => {
  const environment = useEnvironment();
  before(async () => {
    const { deps, own, other } = environment;
    await seedSendingDomain(deps, own.project, 'mail.example.com');
    await seedSendingDomain(deps, other.project, 'mail.example.org');
  });

  async function send({ client }: Tenant, domain: string, more: object = {}): Promise<void> {
    const from = { email: `shop@${domain}` };
    const fields = { to: { email: 'ada@in.test' }, from, subject: 'Hello', text: 'Hello', ...more };
    const { status, text } = await client.post('/mails/send', fields);
    expect(status, text).to.be.oneOf([200, 201, 202]);
  }
  const lane = (found: WaitingMails[], name: string) => found.find((one) => one.lane === name);
  const metricOf = async (metrics: ReturnType<typeof createMetrics>) =>
    /everpost_mails_waiting\{lane="transactional"\} (\d+)/.exec(await metrics.registry.metrics())?.[1];

  it('is none in an installation without any, and each lane says so', async () => {
    expect(await waitingMails(environment.deps)).to.deep.equal([
      { lane: 'transactional', waiting: 0, oldestSeconds: 0 },
      { lane: 'automation', waiting: 0, oldestSeconds: 0 },
    ]);
  });

  it('is counted over all projects, and as old as the oldest; scheduled mail does not wait', async () => {
    const { deps, own, other, clock } = environment;
    await send(own, 'mail.example.com');
    clock.advance(90_000);
    await send(own, 'mail.example.com');
    await send(other, 'mail.example.org');
    const scheduledAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await send(own, 'mail.example.com', { scheduledAt });
    const found = lane(await waitingMails(deps), 'transactional');
    expect(found?.waiting).to.equal(3);
    expect(found?.oldestSeconds).to.be.within(90, 150);
  });

  it('does not include what a process has claimed; a deferred mail waits since its next try was due', async () => {
    const { deps, own, clock } = environment;
    const { messages } = deps.db;
    const filter = { projectId: own.project._id, lane: 'transactional', dueAt: { $lte: clock.now() } } as const;
    const due = await messages.find(filter).sort({ dueAt: 1 }).toArray();
    expect(due).to.have.length(2);
    const [first, second] = due as [(typeof due)[0], (typeof due)[0]];
    const at = (ms: number) => new Date(clock.now().getTime() + ms);
    await messages.updateOne({ _id: first._id, projectId: own.project._id }, { $set: { dueAt: at(30_000) } });
    const again = { $set: { dueAt: at(-5_000), createdAt: at(-7_200_000) } };
    await messages.updateOne({ _id: second._id, projectId: own.project._id }, again);
    const found = lane(await waitingMails(deps), 'transactional');
    expect(found?.waiting).to.equal(2);
    expect(found?.oldestSeconds).to.be.within(4, 80);
  });

  it('is in /metrics of the first process with the role background alone, and only asked for when that is read', async () => {
    const { deps } = environment;
    let asked = 0;
    const counting = (rank: number) => ({
      ...deps,
      members: Object.assign(Object.create(deps.members), { rank: () => ({ rank, count: 2 }) }),
      clock: {
        ...deps.clock,
        now() {
          asked += 1;
          return deps.clock.now();
        },
      },
    });
    const [first, second] = [createMetrics(), createMetrics()];
    measureWaiting(second, counting(1));
    await second.registry.metrics();
    expect(await metricOf(second)).to.equal(undefined);
    measureWaiting(first, counting(0));
    expect(asked).to.equal(0);
    await until(
      () => metricOf(first),
      (value) => value === '2',
    );
    const before = asked;
    await Promise.all(Array.from({ length: 20 }, () => metricOf(first)));
    // Both lanes once more at the most, should these scrapes have taken ten seconds.
    expect(asked).to.be.at.most(before + 2);
  });
});
