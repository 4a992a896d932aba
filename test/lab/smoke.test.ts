import { expect } from 'chai';
import { judgeRaces, races } from '../../lab/drills/kills/races.ts';
import { serverKills } from '../../lab/drills/outages/outage-drills.ts';
import { judgeOutage } from '../../lab/drills/outages/outages.ts';
import { judgeReplies, relayReplies } from '../../lab/drills/relays/relay-replies.ts';
import type { Verdict } from '../../lab/rig/results/drill-results.ts';

/** In small, what `npm run drill` does in full; workers and APIs are killed in test/delivery/kills.test.ts. */
describe('A fault', function () {
  this.timeout(240_000);

  const expectKept = ({ kept, says }: Verdict) => expect(kept, says).to.equal(true);

  it('kill -9 of mongod and of Temporal under traffic: what was answered is there, once, and no process ends', async () => {
    const tally = await serverKills({ downMs: 1_000, mix: { mails: 20, bulks: 1, contacts: 20, events: 2 } });
    expectKept(judgeOutage('killed', tally, { isTimed: false }));
    expect([tally.faults, tally.promises.found.mails > 50]).to.deep.equal([2, true]);
  });

  it('every answer of a relay has its own end, and a relay that refuses everybody counts against no recipient', async () => {
    expectKept(judgeReplies(await relayReplies(process.env, { each: 3, ways: 1 })));
  });

  it('the same request at the same time at two APIs is done once, and no mail is sent by two workers', async () => {
    const sizes = { keys: 4, each: 40, upserts: 200, addresses: 10, adds: 6, workers: 2, mails: 200 };
    expectKept(judgeRaces(await races(process.env, sizes)));
  });
});
