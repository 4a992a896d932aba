import { expect } from 'chai';
import { calendarDay } from '../../../core/campaigns/run/gradual.ts';
import { release } from '../../../core/campaigns/run/gradual-release.ts';
import { useHands } from '../support.ts';

const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;

describe('A gradual campaign that is sent', function () {
  this.timeout(180_000);
  const { stage, hands } = useHands();

  /** Lets the run look every four hours and shortly before each midnight, and says how many had arrived at the end of each day. */
  async function runDays(id: string, days: number, at: (day: number, hour: number) => Promise<void> = async () => {}) {
    const { clock } = stage.environment;
    const perDay: Record<string, number> = {};
    let before = (await stage.arrived(id)).size;
    for (let day = 1; day <= days; day += 1) {
      const { name, end } = calendarDay(clock.now(), ZONE);
      while (clock.now() < end) {
        await at(day, Math.floor((clock.now().getTime() - calendarDay(clock.now(), ZONE).start.getTime()) / HOUR_MS));
        await hands.drive(id);
        const next = Math.min(clock.now().getTime() + 4 * HOUR_MS, end.getTime() - 60_000);
        if (next <= clock.now().getTime()) break;
        clock.set(new Date(next));
      }
      const arrived = (await stage.arrived(id)).size;
      perDay[name] = arrived - before;
      before = arrived;
      clock.set(end);
    }
    return perDay;
  }

  const launchAt = async (start: string, count: number, fields: object = {}) => {
    stage.environment.clock.set(new Date(start));
    const list = await stage.list(count, (i) => `g${i}-${start.slice(0, 10)}@example.org`);
    const gradual = { emailsPerDay: 10, growth: '1.5x', timezone: ZONE };
    const { body } = await stage.create({ publish: true, gradual, toLists: [list], ...fields });
    expect(body.data).to.include({ status: 'scheduled', sendMode: 'gradual' });
    return body.data.id as string;
  };

  it('sends day n floor(emailsPerDay x growth^(n-1)) over 7 days across a change of the clocks', async () => {
    const id = await launchAt('2026-03-26T09:00:00Z', 400);
    const perDay = await runDays(id, 7);
    expect(perDay).to.deep.equal({
      '2026-03-26': 10,
      '2026-03-27': 15,
      '2026-03-28': 22,
      // 23 hours long.
      '2026-03-29': 33,
      '2026-03-30': 50,
      '2026-03-31': 75,
      '2026-04-01': 113,
    });
    const { gradual, status, metrics, sentAt } = await stage.get(id);
    expect({ status, sentAt, ...gradual }).to.include({
      status: 'sending_gradual',
      sentAt: null,
      day: 7,
      sentToday: 113,
    });
    expect(metrics.totalContacts).to.equal(400);
    await runDays(id, 1);
    expect((await stage.get(id)).metrics).to.include({ sent: 400, pending: 0 });
    expect(await stage.get(id)).to.include({ status: 'sent' });
    expect((await stage.get(id)).gradual.sentToday, 'the last day sends what is left').to.equal(400 - 318);
  });

  it('paused on day 3 and resumed on day 5: day 3 stays what it was, day 4 does not count, nothing is caught up', async () => {
    const id = await launchAt('2026-10-23T06:00:00Z', 300);
    let atPause = 0;
    const perDay = await runDays(id, 6, async (day, hour) => {
      if (day === 3 && hour >= 12 && (await stage.get(id)).status === 'sending_gradual') {
        atPause = (await stage.act(id, 'pause')).body.data.progress.sent;
      }
      if (day === 5 && (await stage.get(id)).status === 'paused') {
        const { body } = await stage.act(id, 'resume');
        expect(body.data).to.include({ status: 'sending_gradual' });
      }
    });
    const days = Object.values(perDay);
    // The third day is 25 hours long, and half of its 22 were released by noon.
    expect(Object.keys(perDay)[2]).to.equal('2026-10-25');
    expect(days[2]).to.be.within(7, 14);
    expect(days).to.deep.equal([10, 15, atPause - 25, 0, 33, 50]);
    expect((await stage.get(id)).gradual).to.include({ day: 5, sentToday: 50 });
    await stage.act(id, 'abort');
  });

  it('spreads a day over its hours, says when the next slice goes, and sends deferred mail in between', async () => {
    const id = await launchAt('2026-06-09T22:00:00Z', 60, {
      gradual: { emailsPerDay: 24, growth: 'fixed', timezone: ZONE },
    });
    const first = await hands.drive(id);
    expect(first.kind).to.equal('wait');
    const step = 'waitMs' in first ? first.waitMs : 0;
    expect(step).to.be.within(3_200_000, 3_300_000);
    expect((await stage.arrived(id)).size).to.equal(1);
    const { gradual } = await stage.get(id);
    expect(Date.parse(gradual.nextBatchAt)).to.be.closeTo(Date.parse('2026-06-09T22:55:00.000Z'), 60_000);
    stage.environment.clock.set(new Date('2026-06-10T10:00:00Z'));
    await hands.drive(id);
    expect((await stage.arrived(id)).size).to.equal(13);
    await hands.drive(id);
    expect((await stage.arrived(id)).size, 'asked again at the same time it releases nothing').to.equal(13);
    const [sent] = await stage.messages(id, { state: 'sent' });
    await stage.deps.db.messages.updateOne({ _id: sent!._id, projectId: sent!.projectId }, [
      { $set: { state: 'deferred', dueAt: '$$NOW' } },
    ]);
    await hands.drive(id);
    expect(stage.sink.ledger.duplicates).to.equal(1);
    const waiting = (await stage.audience(id)).filter(({ state }) => state === 'queued');
    expect(waiting.length, 'and nobody who is not released').to.equal(47);
    await stage.act(id, 'abort');
  });

  it('at 04:00 in Berlin, moving to New York releases nothing more, and the day there ends with its own number', async () => {
    const id = await launchAt('2026-07-10T06:00:00Z', 200, {
      gradual: { emailsPerDay: 24, growth: 'fixed', timezone: ZONE },
    });
    await runDays(id, 1);
    stage.environment.clock.set(new Date('2026-07-11T02:00:00Z'));
    await hands.drive(id);
    const atFour = (await stage.arrived(id)).size;
    expect(atFour).to.equal(24 + 5);
    await stage.own.client.patch(`/campaigns/${id}`, {
      gradual: { emailsPerDay: 24, growth: 'fixed', timezone: 'America/New_York' },
    });
    await hands.drive(id);
    expect((await stage.arrived(id)).size).to.equal(atFour);
    expect((await stage.stored(id)).gradual).to.include({ day: 2, calendarDay: '2026-07-11' });
    // Until midnight in New York the 11th has sent its 24, and no more.
    for (const [at, count] of [
      ['2026-07-11T04:30:00Z', 24 + 6],
      ['2026-07-11T13:00:00Z', 24 + 13],
      ['2026-07-12T03:59:00Z', 24 + 24],
    ] as const) {
      stage.environment.clock.set(new Date(at));
      await hands.drive(id);
      expect((await stage.arrived(id)).size, at).to.equal(count);
    }
    await stage.act(id, 'abort');
  });

  it('a process that releases from what it read before another one spends no number twice', async () => {
    const id = await launchAt('2026-08-03T22:00:00Z', 400, {
      gradual: { emailsPerDay: 240, growth: 'fixed', timezone: ZONE },
    });
    const atHour = (hour: number) =>
      stage.environment.clock.set(new Date(Date.parse('2026-08-03T22:00:00Z') + hour * HOUR_MS));
    await hands.drive(id);
    atHour(1);
    const before = await stage.stored(id);
    await hands.drive(id);
    atHour(2);
    await hands.drive(id);
    expect((await stage.arrived(id)).size).to.equal(21);
    const after = (await stage.stored(id)).gradual;
    atHour(1);
    await release(stage.deps, before);
    expect((await stage.stored(id)).gradual, 'nothing is taken back').to.deep.equal(after);
    atHour(2);
    await hands.drive(id);
    expect((await stage.arrived(id)).size).to.equal(21);
    expect((await stage.stored(id)).gradual).to.include({ day: 1, releasedToday: 21 });
    await stage.act(id, 'abort');
  });

  it('a plan that is changed on the way holds from then on', async () => {
    const id = await launchAt('2026-07-01T06:00:00Z', 200);
    await runDays(id, 1);
    await stage.own.client.patch(`/campaigns/${id}`, {
      gradual: { emailsPerDay: 40, growth: 'fixed', timezone: ZONE },
    });
    expect(Object.values(await runDays(id, 2))).to.deep.equal([40, 40]);
    // A zone that lies behind makes the day longer, and gives no second number for it.
    await stage.own.client.patch(`/campaigns/${id}`, {
      gradual: { emailsPerDay: 40, growth: 'fixed', timezone: 'America/New_York' },
    });
    await hands.drive(id);
    expect((await stage.stored(id)).gradual).to.include({ day: 3, calendarDay: '2026-07-03' });
    await stage.act(id, 'abort');
  });
});
