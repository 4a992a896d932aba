import { expect } from 'chai';
import { type Stage, startStage, useHands } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';
import { countNow, storedCounts } from './support.ts';

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

describe('A campaign that is made and sent within one minute', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();
  after(() => stage.environment.clock.set(new Date()));

  for (const [title, madeAt, sentAt] of [
    ['of one full hour', '2026-11-25T12:59:40Z', '2026-11-25T13:00:10Z'],
    ['inside an hour', '2026-11-25T15:20:05Z', '2026-11-25T15:20:45Z'],
    ['of midnight', '2026-11-25T23:59:40Z', '2026-11-26T00:00:10Z'],
  ] as const)
    it(`${title} has the same figures on its page, in its series, by provider and in the list of campaigns`, async () => {
      const { environment, own } = stage;
      const { clock } = environment;
      const get = async (path: string) => (await own.client.get(path)).body.data;
      clock.set(new Date(madeAt));
      const list = await stage.list(7, (index) => `${madeAt.slice(8, 16).replace(/\D/g, '')}-${index}@example.org`);
      const { id, createdAt } = (await stage.create({ toLists: [list] })).body.data;
      expect(createdAt).to.match(new RegExp(`^${madeAt.slice(0, 18)}`));
      clock.set(new Date(sentAt));
      const published = await own.client.patch(`/campaigns/${id}`, { publish: true, sendNow: true });
      expect(published.status, published.text).to.equal(200);
      await hands.drive(id);
      expect((await stage.get(id)).status).to.equal('sent');
      clock.set(new Date(Date.parse(sentAt) + 10_000));
      await countNow(environment, own);

      const sum = ({ points }: { points: Array<{ sent: number }> }) => points.reduce((all, { sent }) => all + sent, 0);
      // As the page asks for them: from the time that it was made.
      const asked = `campaignId=${id}&from=${createdAt}`;
      const berlin = `timezone=Europe/Berlin&${asked}`;
      const [analytics, progress, hours, days, byProvider, { campaigns }] = await Promise.all([
        get(`/campaigns/${id}/analytics`),
        stage.progress(id),
        get(`/reports/series?interval=hour&${berlin}`),
        get(`/reports/series?interval=day&${berlin}`),
        get(`/reports/providers?${asked}`),
        get('/campaigns'),
      ]);
      const providers: Array<{ sent: number }> = byProvider.providers;
      expect({
        page: analytics.counts.sent,
        progress: progress.sent,
        hours: sum(hours),
        days: sum(days),
        providers: sum({ points: providers }),
        list: campaigns.find((one: { id: string }) => one.id === id).metrics.sent,
      }).to.deep.equal({ page: 7, progress: 7, hours: 7, days: 7, providers: 7, list: 7 });
    });
});
