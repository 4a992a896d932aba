import { expect } from 'chai';
import { campaignKill, campaignWorkers } from '../../lab/drills/campaigns/campaign-faults.ts';
import { judgeCampaign, judgeLocalTime } from '../../lab/drills/campaigns/campaign-verdicts.ts';
import type { CampaignTally } from '../../lab/drills/campaigns/campaigns.ts';
import { judgeEarly } from '../../lab/drills/campaigns/early-returns.ts';
import { judgePoint } from '../../lab/drills/kills/fault-points.ts';

/** The drills of campaigns at a tenth of their size; `npm run drill` runs them whole. */
describe('A campaign under fire', function () {
  this.timeout(300_000);
  const small = { recipients: 1_500, connections: 10, ackMs: 20, evidence: false, hurry: true };

  it('kill -9 of the sender in mid-work: nothing lost, nothing twice, unknown mail listed, counts that add up throughout', async () => {
    const tally = await campaignKill(process.env, { ...small, kills: 2, sendersOnly: true });
    const { kept, says } = judgeCampaign('killed', small, tally);
    expect(kept, says).to.equal(true);
    expect(tally.faults).to.equal(2);
  });

  it('two senders, a relay that drops connections after the dot, and evidence: everybody gets it once, and no recipient stays unknown', async () => {
    const email = (index: number) => (index % 20 === 0 ? `drop-after-dot+${index}@in.test` : `p${index}@in.test`);
    const drill = { ...small, recipients: 400, evidence: true, email };
    const { kept, says } = judgeCampaign('drops', drill, await campaignWorkers(process.env, { ...drill, workers: 2 }));
    expect(kept, says).to.equal(true);
  });

  it('the verdicts of faults at a point and of early returns notice what their drills are about', () => {
    const sent = {
      ...{ recipients: 10, faults: 1, status: 'sent', lost: 0, duplicates: 0, strangers: 0, unknown: 4 },
      ...{ unknownAccepted: 1, connectionsAtFaults: 4, samples: 5, unbalanced: 0, seconds: 1 },
    };
    const drill = { ...small, connections: 4, senders: 2 };
    const point = { ...drill, point: 'dot and row', signal: 'SIGKILL' } as const;
    const hit = { ...sent, hits: 1, withoutEvent: 0 };
    expect(judgePoint(point, hit).kept).to.equal(true);
    for (const fault of [{ hits: 0 }, { withoutEvent: 1 }, { unknown: 5 }, { duplicates: 1 }])
      expect(judgePoint(point, { ...hit, ...fault }).kept, JSON.stringify(fault)).to.equal(false);
    const early = { ...sent, unknown: 0, strangers: 2, early: 10, wronglyAnswered: 0, lostReturns: 0 };
    const stopped = { ...drill, signal: 'SIGCONT' } as const;
    expect(judgeEarly(stopped, early).kept).to.equal(true);
    for (const fault of [{ early: 0 }, { wronglyAnswered: 1 }, { lostReturns: 1 }, { strangers: 3 }])
      expect(judgeEarly(stopped, { ...early, ...fault }).kept, JSON.stringify(fault)).to.equal(false);
  });

  it('the verdict notices a loss, a duplicate, a wrong count and too many unknown', () => {
    const good: CampaignTally = {
      ...{
        recipients: 10,
        faults: 1,
        status: 'sent',
        lost: 0,
        duplicates: 0,
        strangers: 0,
        unknown: 3,
        unknownAccepted: 1,
      },
      ...{ connectionsAtFaults: 4, samples: 5, unbalanced: 0, seconds: 1 },
    };
    const kept = (fields: Partial<CampaignTally>) => judgeCampaign('x', small, { ...good, ...fields }).kept;
    expect(kept({})).to.equal(true);
    const faults: Partial<CampaignTally>[] = [
      { lost: 1 },
      { duplicates: 1 },
      { strangers: 1 },
      { unbalanced: 1 },
      { unknown: 85 },
      { status: 'sending' },
      { samples: 0 },
    ];
    expect(faults.filter((fault) => kept(fault))).to.deep.equal([]);
    const zones = { ...good, zones: 5, early: 0, inPause: 0, wrongZones: 0 };
    expect(judgeLocalTime('x', small, zones).kept).to.equal(true);
    for (const fault of [{ early: 1 }, { inPause: 1 }, { wrongZones: 1 }, { lost: 1 }])
      expect(judgeLocalTime('x', small, { ...zones, ...fault }).kept, JSON.stringify(fault)).to.equal(false);
  });
});
