import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { releaseAt } from '../../../core/campaigns/local-time/rules.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { openHands, useHands } from '../support.ts';

const HOUR_MS = 3_600_000;
const LOCAL = { date: '2026-10-25', time: '02:30', fallbackTimezone: 'Europe/Berlin', late: 'now' } as const;
/** When the first zone on earth has the time. */
const BEGINS = Date.parse('2026-10-24T12:30:00Z');
const HOMES = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Mars/Crater', null];

describe('The releases of a campaign at local time', function () {
  this.timeout(300_000);
  const { stage, hands } = useHands();

  before(async () => {
    const { environment, own } = stage;
    const path = `/account/projects/${own.project._id}`;
    await environment.client(own.adminKey).patch(path, { timezoneProperty: 'home' });
  });

  const momentOf = (home: string | null | undefined) =>
    releaseAt(
      LOCAL,
      home?.includes('/') && home !== 'Mars/Crater' ? home : LOCAL.fallbackTimezone,
      new Date(BEGINS),
    ) as Date;

  /** A campaign to people in these zones, written down; `moments`: when each address may get it. */
  async function begun(homes: ReadonlyArray<string | null>): Promise<{ id: string; moments: Map<string, Date> }> {
    stage.environment.clock.set(new Date(BEGINS - 24 * HOUR_MS));
    const tag = new ObjectId().toHexString().slice(-8);
    const email = (n: number) => `${String(n).padStart(4, '0')}.${tag}@example.org`;
    const list = await stage.list(homes.length, email);
    const projectId = stage.own.project._id;
    const propertiesOf = (home: string | null): Record<string, string> => (home === null ? {} : { home });
    await stage.deps.db.contacts.bulkWrite(
      homes.map((home, n) => ({
        updateOne: {
          filter: { projectId, email: email(n) },
          update: { $set: { contactProperties: propertiesOf(home) } },
        },
      })),
    );
    const { body } = await stage.create({ toLists: [list], localTime: LOCAL });
    stage.environment.clock.set(new Date(BEGINS));
    await hands.advance(body.data.id);
    return { id: body.data.id, moments: new Map(homes.map((home, n) => [email(n), momentOf(home)])) };
  }

  const sentTo = async (id: string) => new Set((await stage.messages(id, { state: 'sent' })).map(({ email }) => email));

  it('whenever it is looked at, by several processes and with pauses in between, are early for no person and twice for none', async () => {
    const other = openHands(stage);
    const look = fc.record({ minutes: fc.integer({ min: 1, max: 400 }), act: fc.constantFrom('go', 'both', 'pause') });
    const people = fc.array(fc.constantFrom(...HOMES), { minLength: 1, maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(people, fc.array(look, { minLength: 1, maxLength: 6 }), async (homes, looks) => {
        const { id, moments } = await begun(homes);
        for (const { minutes, act } of looks) {
          stage.environment.clock.advance(minutes * 60_000);
          if (act === 'pause') {
            await stage.act(id, 'pause');
            await hands.drive(id);
            await stage.act(id, 'resume');
          }
          const from = stage.environment.clock.now();
          await Promise.all([hands.drive(id), ...(act === 'both' ? [other.drive(id)] : [])]);
          const to = stage.environment.clock.now();
          const sent = await sentTo(id);
          for (const [email, moment] of moments) {
            if (moment > to) expect(sent.has(email), `${email} early`).to.equal(false);
            if (moment <= from) expect(sent.has(email), `${email} late`).to.equal(true);
          }
        }
        const { total, sent, pending, zones } = await stage.progress(id);
        expect([total, sent + pending]).to.deep.equal([homes.length, homes.length]);
        expect(zones.reduce((sum: number, zone: { sent: number }) => sum + zone.sent, 0)).to.equal(sent);
        await stage.act(id, 'abort');
      }),
      { numRuns: 12 },
    );
    await other.stop();
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('written down by a process that dies and by another one after it are those of the whole audience', async () => {
    const homes = Array.from({ length: 5_000 }, (_, n) => HOMES[n % HOMES.length]!);
    const { id, moments } = await begun(homes);
    const control = { signal: new AbortController().signal, onProgress() {} };
    const died = await freezeAudience(dyingWith(stage.deps), await stage.stored(id), control).catch((error) => error);
    expect(died.message).to.equal('the process died');
    expect((await stage.stored(id)).freeze).to.include({ isDone: false });
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.freeze(id);
    const { zones, total } = await stage.progress(id);
    const sizes = zones.map((zone: { timezone: string; total: number }) => [zone.timezone, zone.total]);
    expect(total).to.equal(5_000);
    expect(sizes).to.deep.equal([
      ['Australia/Lord_Howe', 833],
      ['Asia/Tokyo', 834],
      ['Europe/Berlin', 1_666],
      ['Europe/Berlin', 834],
      ['America/New_York', 833],
    ]);
    const all = await stage.audience(id);
    const bySeq = all.toSorted((a, b) => a.seq! - b.seq!);
    expect(bySeq.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 5_000 }, (_, n) => n + 1));
    const order = bySeq.map(({ email }) => moments.get(email)!.getTime());
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
    await stage.act(id, 'abort');
  });
});

/** Dependencies of a process that dies when the first blocks are written. */
function dyingWith(deps: Deps): Deps {
  let written = 0;
  const campaigns = new Proxy(deps.db.campaigns, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'updateOne') return value.bind(target);
      return async (...args: unknown[]) => {
        if (JSON.stringify(args[1]).includes('freeze.written')) written += 1;
        if (written > 0) throw new Error('the process died');
        return value.apply(target, args);
      };
    },
  });
  return { ...deps, db: { ...deps.db, campaigns } };
}
