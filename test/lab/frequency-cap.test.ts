import { expect } from 'chai';
import { type CapTally, frequencyCap, judgeCap } from '../../lab/drills/campaigns/frequency-cap.ts';

describe('The drill of the frequency cap', () => {
  it('two campaigns and an automation, two senders: each person gets as many mails as the cap allows', async function () {
    this.timeout(240_000);
    const tally = await frequencyCap(process.env, { people: 400, senders: 2, kills: 0, connections: 10, ackMs: 5 });
    const { kept, says } = judgeCap(tally);
    expect(kept, says).to.equal(true);
  });

  it('notices a person above the cap, a mail held back below it, and lost, repeated and miscounted mail', () => {
    const good: CapTally = {
      ...{ people: 10, senders: 2, kills: 1, above: 0, under: 0, lost: 0, duplicates: 0 },
      ...{ sent: 18, held: 10, unknown: 2, samples: 5, unbalanced: 0, seconds: 1 },
    };
    const kept = (fields: Partial<CapTally>) => judgeCap({ ...good, ...fields }).kept;
    expect(kept({})).to.equal(true);
    for (const wrong of [
      ...[{ above: 1 }, { under: 1 }, { lost: 1 }, { duplicates: 1 }, { unbalanced: 1 }],
      ...[{ samples: 0 }, { held: 0 }, { sent: 17 }],
    ])
      expect(kept(wrong), JSON.stringify(wrong)).to.equal(false);
  });
});
