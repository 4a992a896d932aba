import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { capacity, costOf, secondsOnMachine, useOfDay } from '../../lab/bench/scale/capacity.ts';
import { fitContention, predict } from '../../lab/bench/scale/check.ts';
import { type Costs, linesOf, PARTS, type Records, readCosts, type Work } from '../../lab/bench/scale/costs.ts';
import { type Installation, layout, readInstallation } from '../../lab/bench/scale/installation.ts';
import { PAGE, withTables } from '../../lab/bench/scale/page.ts';
import { tables } from '../../lab/bench/scale/tables.ts';

const WORKS = ['campaign', 'single'];
const of = (value: number) => ({ value, from: 'a test' });
const campaign: Work = {
  ...{ name: 'campaign', unit: 'recipient', mails: 1, notRecorded: [], bytes: of(1_000), writes: of(2) },
  micros: { campaign: of(200), mongod: of(100), background: of(20), redis: of(1), temporal: of(1) },
  alone: { campaign: of(4_000) },
};
const single: Work = {
  ...campaign,
  name: 'single',
  micros: { mail: of(400), api: of(200), mongod: of(400) },
  alone: { mail: of(1_500) },
};
const costs: Costs = { works: [campaign, single], signature: of(1_000), memory: { campaign: of(400), api: of(200) } };

describe('The model of an installation', () => {
  it('Throughput is the lowest of its limits, and nothing is used more than it has.', () => {
    for (const machines of [1, 2, 6, 10, 50, 100]) {
      const installation = described(machines);
      for (const work of costs.works) {
        const { perSecond, limits } = capacity(work, installation, costs);
        expect(perSecond).to.equal(Math.min(...limits.map((limit) => limit.perSecond)));
        for (const one of installation.machines)
          expect(secondsOnMachine(work, one, installation) * perSecond).to.be.at.most(
            one.cores * installation.usable + 1e-9,
          );
      }
    }
  });

  it('The CPU that all machines together spend is the cost of the work, no more and no less.', () => {
    const installation = described(10, { replication: 1 });
    const spent = installation.machines.reduce((sum, machines) => {
      const members = machines.parts.mongod ? 1 : machines.count;
      return sum + members * secondsOnMachine(campaign, machines, installation);
    }, 0);
    const redis = (installation.machines.filter(({ parts }) => parts.redis).length - 1) * 1e-6;
    expect(spent - redis).to.be.closeTo(322e-6, 1e-9);
  });

  it('More cores, machines, processes or connections never make less.', () => {
    for (const work of costs.works) {
      let before = 0;
      for (const cores of [4, 8, 16, 64]) {
        const now = capacity(
          work,
          widened(described(6), (one) => ({ ...one, cores })),
          costs,
        ).perSecond;
        expect(now).to.be.at.least(before);
        before = now;
      }
      for (const more of [{ relay: { connections: 10_000 } }, { shards: 2 }])
        expect(capacity(work, described(10, more), costs).perSecond).to.be.at.least(
          capacity(work, described(10, { relay: { connections: 64 } }), costs).perSecond,
        );
    }
  });

  it('The first limit moves: processes, then the relay, then MongoDB.', () => {
    const first = (installation: Installation) => capacity(campaign, installation, costs).limits[0]?.name;
    const few = readInstallation(oneSender(1), WORKS);
    expect(first(few)).to.equal('campaign processes');
    expect(first(readInstallation(oneSender(40, { connections: 64 }), WORKS))).to.equal('connections to the relay');
    expect(first(readInstallation(oneSender(40, { perSecond: 100 }), WORKS))).to.equal('rate of the relay');
    expect(first(readInstallation(oneSender(40, { connections: 100_000 }), WORKS))).to.equal('CPU of database');
  });

  it('Our own signatures cost the senders, and a write limit bounds the primary when it is given.', () => {
    const bySenders = capacity(campaign, described(10, { relay: { connections: 10_000, signs: false } }), costs);
    expect(bySenders.limits[0]?.name).to.match(/campaign processes|CPU of API and workers/);
    const slow = capacity(campaign, described(10, { primaryWritesPerSecond: 200 }), costs);
    expect([slow.perSecond, slow.limits[0]?.name]).to.deep.equal([100, 'writes of the primaries']);
  });

  it('A day uses each resource by the sum of its kinds, and twice the day twice as much.', () => {
    const day = { campaign: 1_000_000, single: 100_000 };
    const once = useOfDay(described(10, { day }), costs);
    const twice = useOfDay(described(10, { day: { campaign: 2_000_000, single: 200_000 } }), costs);
    expect(once.bytes).to.equal(1_100_000_000);
    expect(once.writesPerSecond).to.be.closeTo(2_200_000 / (8 * 3_600), 1e-6);
    for (const [at, { share }] of once.used.entries()) expect(twice.used[at]?.share).to.be.closeTo(2 * share, 1e-9);
  });

  it('The cost is cores times price.', () => {
    expect(costOf(described(1, { pricePerCoreHour: 0.05 }))).to.deep.equal({ cores: 8, perHour: 0.4 });
  });

  it('Inputs that the model does not know are refused, each with its name.', () => {
    const refused: Array<[unknown, RegExp]> = [
      [{}, /"machines" must be a list/],
      [{ machines: [{ cores: 8, memoryGiB: 8, parts: { sender: 1 } }] }, /"sender"/],
      [{ machines: [{ cores: 0, memoryGiB: 8, parts: { mongod: 1 } }] }, /"cores"/],
      [{ machines: [{ cores: 8, memoryGiB: 8, disks: 2, parts: { mongod: 1 } }] }, /"disks"/],
      [{ machines: [{ cores: 8, memoryGiB: 8, parts: { mongod: 1 } }] }, /No machine has "redis"/],
      [{ ...(layout(1) as object), sharding: true }, /"sharding"/],
      [{ ...(layout(1) as object), usable: 1.5 }, /"usable"/],
      [{ ...(layout(1) as object), shards: 9 }, /9 shards/],
      [{ ...(layout(1) as object), day: { letters: 5 } }, /"letters"/],
      [{ ...(layout(1) as object), relay: { signs: 'no' } }, /"relay.signs"/],
      [{ ...(layout(1) as object), relay: { speed: 5 } }, /"speed"/],
    ];
    for (const [given, message] of refused) expect(() => readInstallation(given, WORKS)).to.throw(message);
    for (const machines of [0, 1.5, Number.NaN, 5_000]) expect(() => layout(machines)).to.throw(/Machines/);
  });

  it('Layouts have as many machines as asked, and every part.', () => {
    for (const machines of [1, 2, 3, 5, 6, 9, 10, 49, 50, 100, 1_000]) {
      const installation = described(machines);
      expect(installation.machines.reduce((sum, { count }) => sum + count, 0)).to.equal(machines);
      for (const part of PARTS)
        expect(
          installation.machines.some(({ parts }) => parts[part]),
          part,
        ).to.equal(true);
    }
  });
});

describe('The records that the model reads', () => {
  it('Every kind of work has its costs from a figure with a name, and the answer shows the names and the assumptions.', () => {
    const made = readCosts(anyFigure);
    for (const { name, micros } of made.works)
      for (const [part, { value, from }] of Object.entries(micros)) {
        expect(value, `${name} ${part}`).to.be.above(0);
        expect(from).to.match(/: ./);
      }
    const works = made.works.map(({ name }) => name);
    const text = tables(readInstallation(layout(10), works), made).join('\n');
    expect(text).to.contain('Assumed, not measured').and.contain('scale: campaign, 1 sender').and.not.contain('NaN');
  });

  it('A figure that is missing is refused with the command that measures it.', () => {
    expect(() => readCosts(() => undefined)).to.throw(/no figure ".*": npm run bench -- scale --measure/);
    expect(() => linesOf('scale', '/dev/null')).to.throw(/no record .*: npm run bench -- scale --measure/);
  });

  it('The page for operators has the tables of the recorded figures; npm run bench -- scale --docs writes them.', () => {
    const page = readFileSync(PAGE, 'utf8');
    const isMeasured = existsSync(join(import.meta.dirname, '../../lab/results/bench/scale.json'));
    expect(page).to.contain('<!-- scale sizes -->');
    expect(withTables(page, isMeasured ? readCosts() : null)).to.equal(page);
    expect(() => withTables('<!-- scale other -->\n<!-- /scale -->', null)).to.throw(/"other"/);
  });
});

describe('The check of the model', () => {
  const one = { processes: 1, perSecond: 1_000, micros: { campaign: 500, mongod: 300 } };

  it('Processes add up until the cores are full, and further ones only share them.', () => {
    expect([1, 2, 4, 8].map((processes) => predict(one, processes, 2))).to.deep.equal([1_000, 2_000, 2_500, 2_500]);
  });

  it('The contention that a lane was made with is found again.', () => {
    const runs = [1, 2, 4, 8].map((processes) => ({ ...one, processes, perSecond: predict(one, processes, 2, 0.13) }));
    expect(fitContention(runs, 2)).to.equal(0.13);
  });
});

/** Has a figure of every name, of 100. */
function anyFigure(_bench: string, name: string): ReturnType<Records> {
  const note = 'CPU of each: API 100 us, worker 100 us, mongod 100 us';
  return { name, unit: 'us', rounds: 1, min: 100, median: 100, max: 100, note, at: '2026-01-01', load: 0 };
}

function described(machines: number, more: object = {}): Installation {
  return readInstallation({ ...(layout(machines) as object), ...more }, WORKS);
}

function widened(
  installation: Installation,
  change: (one: Installation['machines'][number]) => Installation['machines'][number],
) {
  return { ...installation, machines: installation.machines.map(change) };
}

function oneSender(campaigns: number, relay: object = { connections: 10_000 }) {
  return {
    machines: [
      { name: 'database', cores: 4, memoryGiB: 16, parts: { mongod: 1, redis: 1, temporal: 1 } },
      { name: 'senders', cores: 64, memoryGiB: 64, parts: { campaign: campaigns, background: 4 } },
    ],
    relay,
  };
}
