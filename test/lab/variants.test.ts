import { expect } from 'chai';
import { judgeVariants, type VariantsTally, variantsKill } from '../../lab/drills/campaigns/variants.ts';

/** In small; `npm run drill -- variants` runs it whole. */
describe('The drill of variants', () => {
  const drill = { recipients: 300, connections: 2, ackMs: 20, evidence: false, hurry: true };

  it('kills from the freeze to the mail of the winner: exact parts, one mail each, one winner, though two APIs and the run choose at once', async function () {
    this.timeout(300_000);
    const kills = { freeze: 1, test: 1, decision: 1, rest: 0 };
    const tally = await variantsKill(process.env, { ...drill, kills, races: 1 });
    const { kept, says } = judgeVariants('small', drill, tally);
    expect(kept, says).to.equal(true);
    expect(tally.faults).to.equal(3);
  });

  it('notices a part of another size, a second mail or variant, a mail to the hold-out, and a second winner', () => {
    const good: VariantsTally = {
      ...{ recipients: 100, faults: 4, status: 'sent', lost: 0, duplicates: 0, strangers: 0, unknown: 3 },
      ...{ unknownAccepted: 1, connectionsAtFaults: 4, samples: 5, unbalanced: 0, seconds: 1 },
      ...{
        tested: 30,
        parts: [10, 10, 10],
        holdOut: 9,
        suppressed: 1,
        off: 0.3,
        misplaced: 0,
        uninvited: 0,
        twice: 0,
        wrongMail: 0,
      },
      ...{ races: 3, wrongAnswers: 0, wrongEvents: 0, looks: 9, wrongLooks: 0 },
    };
    const kept = (fields: Partial<VariantsTally>) => judgeVariants('x', drill, { ...good, ...fields }).kept;
    expect(kept({})).to.equal(true);
    for (const fault of [
      ...[{ off: 1 }, { misplaced: 1 }, { uninvited: 1 }, { twice: 1 }, { wrongMail: 1 }, { wrongAnswers: 1 }],
      ...[{ wrongEvents: 1 }, { wrongLooks: 1 }, { looks: 0 }, { races: 0 }, { holdOut: 0 }, { lost: 1 }],
      ...[{ duplicates: 1 }, { unbalanced: 1 }, { status: 'sending' }],
    ])
      expect(kept(fault), JSON.stringify(fault)).to.equal(false);
  });
});
