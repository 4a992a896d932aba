// Promise: nothing is lost.
import { expect } from 'chai';
import { apiKill } from '../../lab/drills/kills/api-kill.ts';
import { judgeBoth, workerKill } from '../../lab/drills/kills/worker-kill.ts';

/** The drills of `npm run drill` in small, with leases that are ended by hand instead of waited for. */
describe('kill -9', function () {
  this.timeout(300_000);

  const small = { mails: 300, kills: 3, connections: 12, ackMs: 20, hurry: true };

  it('of the worker loses no mail: transactional mail is repeated once a connection at most, marketing mail never, and unknown mail is listed', async () => {
    const drill = { ...small, evidence: false };
    const tallies = await workerKill(process.env, drill);
    for (const { kept, says } of judgeBoth(drill, tallies)) expect(kept, says).to.equal(true);
    expect(tallies.marketing.duplicates).to.equal(0);
    expect(tallies.transactional.unknown).to.equal(0);
  });

  it('of the worker neither loses nor repeats a mail when the relay can be asked', async () => {
    const drill = { ...small, kills: 2, evidence: true };
    const tallies = await workerKill(process.env, drill);
    for (const lane of ['transactional', 'marketing'] as const)
      expect(tallies[lane]).to.include({ lost: 0, duplicates: 0, unknown: 0, strangers: 0 });
  });

  it('of the API under concurrent sends with idempotency keys: one mail a key, always the same emailId', async () => {
    const tally = await apiKill(process.env, { keys: 100, kills: 2, hurry: true });
    expect(tally).to.include({ mails: 100, ambiguous: 0, lost: 0, duplicates: 0 });
  });
});
