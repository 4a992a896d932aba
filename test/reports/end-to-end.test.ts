import { expect } from 'chai';
import { type Stage, startStage } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';
import { storedCounts } from './support.ts';

describe('The series of mail that workers send', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage.stop());

  const totals = async (query: string): Promise<Record<string, number>> => {
    const { body } = await stage.own.client.get(`/reports/series?interval=hour&${query}`);
    const sums: Record<string, number> = {};
    for (const { from: _from, to: _to, ...counts } of body.data.points)
      for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + Number(count);
    return sums;
  };

  it('has a campaign, from its blocks, by campaign, sending domain and provider', async () => {
    const list = await stage.list(90, (index) => `u${index}@${index < 30 ? 'gmail.com' : 'example.org'}`);
    const id = await stage.launch({ toLists: [list] });
    await stage.until(id, 'sent');
    const counted = await until(
      () => totals(`campaignId=${id}`),
      ({ sent = 0 }) => sent >= 90,
    );
    expect(counted).to.include({ sent: 90, delivered: 90, bounced: 0, deferred: 0 });
    expect((await totals('domain=mail.example.com')).sent).to.equal(90);
    expect((await totals('provider=google')).sent).to.equal(30);
  });

  it('has single mails in their lane, with the sending domain', async () => {
    const before = await totals('domain=mail.example.com');
    const mail = { from: { email: 'shop@mail.example.com' }, subject: 'Receipt', html: '<p>Thank you</p>' };
    const { status, text } = await stage.own.client.post('/mails/send', { ...mail, to: { email: 'one@gmail.com' } });
    expect(status, text).to.be.within(200, 202);
    await until(
      () => totals('domain=mail.example.com'),
      ({ sent }) => sent === before.sent! + 1,
    );
    const counts = await storedCounts(stage.deps, stage.own);
    const ofLane = Object.entries(counts).filter(([key]) => /^lane:transactional .* sent$/.test(key));
    expect(ofLane.map(([, count]) => count)).to.deep.equal([1]);
  });
});
