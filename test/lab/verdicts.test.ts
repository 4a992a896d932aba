import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { judgeMidway, type MidwayTally } from '../../lab/drills/campaigns/audience-midway.ts';
import type { CampaignTally } from '../../lab/drills/campaigns/campaigns.ts';
import { judgeStarts, type StartsTally } from '../../lab/drills/campaigns/temporal-starts.ts';
import { judgeLater, type LaterTally } from '../../lab/drills/clocks/later.ts';
import { judgeSkew, type SkewTally } from '../../lab/drills/clocks/skew.ts';
import { judgeRaces, type RacesTally } from '../../lab/drills/kills/races.ts';
import { judgeRolling, type RollingTally } from '../../lab/drills/kills/rolling.ts';
import { type HostileTally, judgeHostile } from '../../lab/drills/limits/hostile-bytes.ts';
import { judgeMemory, type MemoryTally } from '../../lab/drills/limits/memory.ts';
import { judgeMedia } from '../../lab/drills/outages/disk-full.ts';
import { judgeOutage, type OutageTally } from '../../lab/drills/outages/outages.ts';
import { judgeRestore, type RestoreTally } from '../../lab/drills/outages/restore.ts';
import { judgeSoak, type SoakTally } from '../../lab/drills/outages/soak.ts';
import {
  type CampaignFailover,
  judgeCampaignFailover,
  judgeTraffic,
  type TrafficFailover,
} from '../../lab/drills/relays/relay-failover.ts';
import { judgeReplies, type RepliesTally } from '../../lab/drills/relays/relay-replies.ts';
import { check, type Findings } from '../../lab/rig/facts/check.ts';
import { brokenGrowth, type Growth, growthOf, type Sample, sample } from '../../lab/rig/facts/growth.ts';
import { describe as line, summarize } from '../../lab/rig/results/drill-results.ts';
import { type Calls, noCalls } from '../../lab/rig/traffic/calls.ts';
import type { Promises } from '../../lab/rig/traffic/promises.ts';

/** Ten mails, all sent. */
const found: Findings = check({
  sink: new Map(Array.from({ length: 10 }, (_, index) => [`<${index}>`, 1])),
  rows: Array.from({ length: 10 }, (_, index) => ({
    ...{ id: `${index}`, messageId: `<${index}>`, state: 'sent' as const, isDueLater: false },
  })),
  acknowledged: ['1'],
  campaigns: [],
});
const promises: Promises = { found, contactsLost: 0, eventsLost: 0, eventsDoubled: 0, contacts: 3, events: 2 };
const calls = (change: Partial<Calls> = {}): Calls => ({ ...noCalls(), answered: 15, durations: [5, 6], ...change });
const lossy: Findings = { ...found, lost: 1 };
const wrong = calls({ wrong: new Map([['500 ', 1]]) });

/** The doctored tallies that a judge lets pass; there must be none. */
function overlooked<T>(
  judge: (tally: T) => { kept: boolean },
  good: T,
  doctored: Array<Partial<T>>,
): Array<Partial<T>> {
  expect(judge(good).kept).to.equal(true);
  return doctored.filter((change) => judge({ ...good, ...change }).kept);
}

const lostPromises: Array<Partial<Promises>> = [
  { found: lossy },
  { contactsLost: 1 },
  { eventsLost: 1 },
  { eventsDoubled: 1 },
];
const everyPromise = lostPromises.map((change) => ({ promises: { ...promises, ...change } }));

describe('The verdict of a drill', () => {
  it('on memory notices a mail that is missing or was sent twice, a process that ended, and one above its limit', () => {
    const within = { service: 'api', highestBytes: 700, limitBytes: 701 };
    const good: MemoryTally = { mails: 10, found, calls: calls(), exits: [], processes: [within] };
    const doctored: Array<Partial<MemoryTally>> = [
      ...[{ mails: 11 }, { found: lossy }, { found: { ...found, duplicates: 1 } }, { calls: wrong }],
      ...[{ exits: ['worker ended (SIGKILL)'] }, { processes: [within, { ...within, highestBytes: 702 }] }],
      { processes: [{ ...within, highestBytes: Number.NaN }] },
    ];
    expect(overlooked(judgeMemory, good, doctored)).to.deep.equal([]);
  });

  it('on hostile bytes notices an arrival without an answer, a fault, a process that ended, one above its limit, and what is refused afterwards', () => {
    const within = { service: 'smtp', highestBytes: 700, limitBytes: 701 };
    const answers = { 'mail 452': 2, 'mail closed': 1, 'preview 503': 1 };
    const good: HostileTally = {
      ...{ arrivals: 4, bytes: 1_000_000, answers, afterwards: ['mail 250', 'preview 200'], exits: [] },
      processes: [within],
    };
    const doctored: Array<Partial<HostileTally>> = [
      ...[{ arrivals: 5 }, { answers: { 'mail 452': 3, 'preview 500': 1 } }, { afterwards: ['mail 452'] }],
      ...[{ exits: ['smtp ended (SIGKILL)'] }, { processes: [{ ...within, highestBytes: 702 }] }],
    ];
    expect(overlooked(judgeHostile, good, doctored)).to.deep.equal([]);
  });

  it('on an outage notices what was lost, who gave up, who ended and what came late', () => {
    const good: OutageTally = { faults: 1, promises, calls: calls(), exits: [], slowestReturnMs: 900 };
    const doctored: Array<Partial<OutageTally>> = [
      ...everyPromise,
      ...[wrong, calls({ unanswered: 1 }), calls({ slowestRefusalMs: 6_001 }), calls({ hung: 1 })].map((some) => ({
        calls: some,
      })),
      ...[{ exits: ['the api ended (SIGSEGV)'] }, { slowestReturnMs: 10_001 }],
    ];
    expect(overlooked((tally) => judgeOutage('x', tally), good, doctored)).to.deep.equal([]);
    const quick = { p99MsMax: 500 };
    const slow = [{ calls: calls({ durations: [501] }) }, { calls: calls({ unavailable: 1 }) }];
    expect(overlooked((tally) => judgeOutage('x', tally, quick), good, slow)).to.deep.equal([]);
    expect(judgeOutage('x', { ...good, calls: calls({ slowestRefusalMs: 9_000 }) }, { isStalled: true }).kept).to.equal(
      true,
    );
  });

  it('on a failover between relays notices mail that is lost, repeated or unknown, a gap, and a relay that took nothing', () => {
    const good: TrafficFailover = {
      outage: { faults: 2, promises, calls: calls(), exits: [], slowestReturnMs: 900 },
      ...{ undisturbedMs: 90, withoutRelayMs: 200, taken: [6, 4] },
    };
    const gaps: Array<Partial<TrafficFailover>> = [{ withoutRelayMs: 2_001 }, { taken: [10, 0] }];
    const doctored = everyPromise.map((change) => ({ outage: { ...good.outage, ...change } }));
    const twice = { promises: { ...promises, found: { ...found, duplicates: 1 } } };
    const inDoubt = { promises: { ...promises, found: { ...found, unknown: 1 } } };
    const more = [twice, inDoubt].map((change) => ({ outage: { ...good.outage, ...change } }));
    expect(overlooked((tally) => judgeTraffic('x', tally), good, [...doctored, ...more, ...gaps])).to.deep.equal([]);

    const drill = { recipients: 10, connections: 4, ackMs: 1, evidence: true };
    const campaign: CampaignTally = {
      ...{ recipients: 10, faults: 2, status: 'sent', lost: 0, duplicates: 0, strangers: 0, unknown: 0 },
      ...{ unknownAccepted: 0, connectionsAtFaults: 4, samples: 3, unbalanced: 0, seconds: 9 },
    };
    const sent: CampaignFailover = { campaign, undisturbedMs: 90, withoutRelayMs: 200, taken: [6, 4] };
    const faulty = [{ lost: 1 }, { duplicates: 1 }, { unknown: 1 }, { unbalanced: 1 }, { status: 'sending' }];
    const wrongs = faulty.map((change) => ({ campaign: { ...campaign, ...change } }));
    const late = [{ withoutRelayMs: 2_001 }, { taken: [0, 10] as [number, number] }];
    expect(overlooked((tally) => judgeCampaignFailover(drill, tally), sent, [...wrongs, ...late])).to.deep.equal([]);
  });

  it('on rolling restarts notices a request that was cut off, a slow exit and anything unknown', () => {
    const good: RollingTally = {
      rounds: 6,
      promises,
      calls: calls({ refused: 3, unavailable: 2 }),
      slowestExitMs: 8_000,
    };
    const unknown = { promises: { ...promises, found: { ...found, unknown: 1 } } };
    const doctored = [
      ...everyPromise,
      unknown,
      { calls: wrong },
      { calls: calls({ cut: 13 }) },
      { slowestExitMs: 15_001 },
    ];
    expect(overlooked(judgeRolling, good, doctored)).to.deep.equal([]);
  });

  it('on campaigns without Temporal notices one that is missing, late, doubled or refused', () => {
    const good: StartsTally = { campaigns: 2, recipients: 5, found, calls: calls(), early: 0, slowestStartMs: 2_000 };
    const doctored: Array<Partial<StartsTally>> = [
      ...[{ found: lossy }, { found: { ...found, duplicates: 1 } }, { recipients: 6 }, { early: 1 }],
      ...[{ calls: wrong }, { calls: calls({ unavailable: 1 }) }, { slowestStartMs: 30_001 }],
    ];
    expect(overlooked(judgeStarts, good, doctored)).to.deep.equal([]);
  });

  it('on people who leave in the middle of a campaign notices each that is written to after the answer', () => {
    const nobody = { claimedAfterSuppression: 0, claimedAfterDeletion: 0, resurrected: 0 };
    const good: MidwayTally = { recipients: 9, suppressed: 1, deleted: 1, ...nobody, spared: 1, found, calls: calls() };
    const doctored: Array<Partial<MidwayTally>> = [
      ...[{ claimedAfterSuppression: 1 }, { claimedAfterDeletion: 1 }, { resurrected: 1 }, { spared: 0 }],
      ...[{ found: lossy }, { found: { ...found, refused: 3 } }, { calls: wrong }],
    ];
    expect(overlooked(judgeMidway, good, doctored)).to.deep.equal([]);
  });

  it('on mail for later notices what is both sent and cancelled, neither, early or forgotten', () => {
    const good: LaterTally = {
      ...{ mails: 10, cancelled: 2, refused: 1, moved: 1, notMoved: 1, cancelledInBatches: 3 },
      ...{ both: 0, neither: 0, early: 0, wrong: new Map(), found: { ...found, refused: 5 } },
    };
    const doctored: Array<Partial<LaterTally>> = [
      ...[{ both: 1 }, { neither: 1 }, { early: 1 }, { wrong: new Map([['500 ', 1]]) }],
      ...[{ cancelled: 0 }, { refused: 0 }, { cancelled: 6 }],
      ...[{ found: { ...found, refused: 6 } }, { found: { ...lossy, refused: 5 } }],
    ];
    expect(overlooked(judgeLater, good, doctored)).to.deep.equal([]);
  });

  it('on races notices a race that was won twice, and an error', () => {
    const good: RacesTally = { asked: 9, faults: 0, busy: 1, wrong: [], found };
    const doctored = [{ faults: 1 }, { wrong: ['a key sent two mails'] }, { found: { ...found, duplicates: 1 } }];
    expect(overlooked(judgeRaces, good, doctored)).to.deep.equal([]);
  });

  it('on the replies of a relay notices a wrong end, a wrong suppression, and an attempt that was counted', () => {
    const good: RepliesTally = {
      ...{ each: 5, replies: 20, wrong: new Map(), suppressed: 5, suppressedMeant: 5 },
      ...{ turnedAway: 15, counted: 0, unsent: 0 },
    };
    const doctored: Array<Partial<RepliesTally>> = [
      { wrong: new Map([['temp-rcpt-450', 1]]) },
      ...[{ suppressed: 4 }, { suppressed: 6 }, { turnedAway: 0 }, { counted: 1 }, { unsent: 1 }],
    ];
    expect(overlooked(judgeReplies, good, doctored)).to.deep.equal([]);
  });

  it('on a restored backup notices what was sent again although the relay could be asked', () => {
    const good: RestoreTally = { evidence: true, sentSince: 4, repeatable: 2, doubted: 6, found };
    const doctored: Array<Partial<RestoreTally>> = [
      ...[
        { found: lossy },
        { found: { ...found, duplicates: 1 } },
        { found: { ...found, unknown: 1 } },
        { sentSince: 0 },
      ],
      ...[
        { evidence: false, found: { ...found, unknown: 7 } },
        { evidence: false, found: { ...found, duplicates: 87 } },
      ],
    ];
    expect(overlooked(judgeRestore, good, doctored)).to.deep.equal([]);
  });

  it('on a full media folder notices half a file, and a disk that was not full', () => {
    const doctored = [{ halves: 1 }, { refused: 0 }, { saved: 0 }];
    expect(overlooked(judgeMedia, { saved: 3, refused: 2, halves: 0 }, doctored)).to.deep.equal([]);
  });

  it('on skewed clocks notices a wait that was too short or too long, a date in the future, and webhooks out of time', () => {
    const waits = { shortestWaitMs: 60_100, longestWaitMs: 61_000 };
    const webhooks = { events: 3, delivered: 3, early: 0, late: 0, staleStamps: 0 };
    const good: SkewTally = { found, calls: calls(), people: 3, ...waits, fromTheFuture: 0, webhooks };
    const doctored: Array<Partial<SkewTally>> = [
      ...[{ delivered: 2 }, { early: 1 }, { late: 1 }, { staleStamps: 1 }].map((one) => ({
        webhooks: { ...webhooks, ...one },
      })),
      ...[{ shortestWaitMs: 59_999 }, { longestWaitMs: 106_000 }, { fromTheFuture: 1 }],
      ...[{ found: { ...found, duplicates: 1 } }, { calls: wrong }],
    ];
    expect(overlooked(judgeSkew, good, doctored)).to.deep.equal([]);
  });

  it('on a soak notices everything of the above, and growth', () => {
    const growth: Growth = {
      minutes: 25,
      megabytesAMinute: 0.2,
      openFiles: 1,
      databaseConnections: 26,
      residentMb: 200,
    };
    const good: SoakTally = {
      ...{
        minutes: 30,
        promises,
        calls: calls(),
        campaigns: 1,
        kills: { worker: 1 },
        exits: [],
        growth: { api: growth },
      },
      ...{ refusedMeant: 0, deferredMeant: 0 },
    };
    const doctored: Array<Partial<SoakTally>> = [
      ...everyPromise,
      ...[{ campaigns: 0 }, { exits: ['x'] }, { calls: wrong }],
      { growth: { api: { ...growth, megabytesAMinute: 1 } } },
      { growth: { api: growth, worker: { ...growth, openFiles: 11 } } },
      { growth: { api: { ...growth, databaseConnections: 61 } } },
    ];
    expect(overlooked(judgeSoak, good, doctored)).to.deep.equal([]);
  });

  it('says in the summary which drills were not kept', () => {
    const result = { drill: 'x', does: '', kept: true, lines: [{ kept: true, says: 'a' }], seconds: 1 };
    expect(summarize([result])).to.equal('1 drill, 1 lines: all as promised.');
    expect(summarize([result, { ...result, drill: 'y', kept: false }])).to.equal(
      '2 drills, 2 lines: NOT AS PROMISED in y.',
    );
    expect(line({ kept: false, says: 'a' })).to.equal('a NOT AS PROMISED');
  });
});

describe('Growth', () => {
  /** Half an hour, a look every two seconds. */
  const samples = (residentMb: (minute: number) => number, openFiles: (minute: number) => number = () => 80) =>
    Array.from({ length: 900 }, (_, index): Sample => {
      const minute = index / 30;
      return {
        atMs: minute * 60_000,
        residentMb: residentMb(minute),
        openFiles: openFiles(minute),
        databaseConnections: 26,
      };
    });
  const saws = (minute: number) => 200 + 30 * (minute % 1);

  it("is the slope behind the warm-up, whatever the garbage collector's ups and downs", () => {
    const steady = growthOf(samples(saws));
    expect(Math.abs(steady.megabytesAMinute)).to.be.below(0.2);
    expect(brokenGrowth('api', steady)).to.deep.equal([]);
    const warming = growthOf(samples((minute) => saws(minute) + Math.min(minute, 5) * 20));
    expect(brokenGrowth('api', warming)).to.deep.equal([]);
    const leaking = growthOf(samples((minute) => saws(minute) + minute * 1.1));
    expect(leaking.megabytesAMinute).to.be.closeTo(1.1, 0.2);
    expect(brokenGrowth('api', leaking)).to.deep.equal(['the api grows']);
  });

  it('of open files compares the first third with the last', () => {
    expect(growthOf(samples(saws, (minute) => 80 + (minute % 2) * 10)).openFiles).to.be.within(-10, 10);
    expect(brokenGrowth('api', growthOf(samples(saws, (minute) => 80 + minute)))).to.deep.equal([
      'the api keeps files open',
    ]);
  });

  it('counts connections to MongoDB apart, and their most', async () => {
    const [database, other] = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
    await Promise.all([once(database, 'listening'), once(other, 'listening')]);
    const [databasePort, otherPort] = [database, other].map((one) => (one.address() as AddressInfo).port) as [
      number,
      number,
    ];
    const before = sample(process.pid, databasePort);
    const sockets = [databasePort, databasePort, otherPort].map((port) => connect(port, '127.0.0.1'));
    try {
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      const after = sample(process.pid, databasePort);
      expect([before.databaseConnections, after.databaseConnections]).to.deep.equal([0, 2]);
      // This process has the other ends too: three when they are accepted.
      expect(after.openFiles - before.openFiles).to.be.within(1, 4);
      expect(growthOf([before, after, after]).databaseConnections).to.equal(2);
    } finally {
      for (const socket of sockets) socket.destroy();
      database.close();
      other.close();
    }
  });

  it('is not judged in a short run', () => {
    const short = growthOf(samples((minute) => 200 + minute * 9).slice(0, 90));
    expect(short.megabytesAMinute).to.be.closeTo(9, 0.1);
    expect(brokenGrowth('api', short)).to.deep.equal([]);
  });
});
