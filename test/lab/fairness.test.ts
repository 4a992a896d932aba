import { expect } from 'chai';
import { type FairnessTally, judgeDifference, judgeFairness } from '../../lab/drills/campaigns/fairness.ts';
import { check } from '../../lab/rig/facts/check.ts';

describe('The drill of fairness', () => {
  it('notices a loss, a missing campaign, a giant that ended first, and fairness that makes no difference', () => {
    const found = check({
      sink: new Map([['<1', 1]]),
      rows: [{ id: '1', messageId: '<1', state: 'sent', isDueLater: false }],
      acknowledged: [],
      campaigns: [],
    });
    const shared = { senders: 1, after: 0, everyMs: 0 };
    const size = { ...shared, giant: { campaigns: 0, each: 0 }, small: { projects: 1, each: 1 } };
    const good: FairnessTally = { found, mails: 1, smallMs: [1_000], giantMs: 9_000, giantAfter: 5 };
    const judge = (change: Partial<FairnessTally>) => judgeFairness('with fairness', size, { ...good, ...change }).kept;
    expect(judge({})).to.equal(true);
    for (const fault of [{ found: { ...found, lost: 1 } }, { mails: 2 }, { smallMs: [] }, { giantAfter: 0 }])
      expect(judge(fault), JSON.stringify(fault)).to.equal(false);
    expect(judgeDifference({ ...good, smallMs: [2_000] }, good).kept).to.equal(true);
    expect(judgeDifference({ ...good, smallMs: [1_900] }, good).kept).to.equal(false);
  });
});
