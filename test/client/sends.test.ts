// Promise: nothing is lost.
import { expect } from 'chai';
import { clientSends, judgeClient } from '../../lab/drills/kills/client.ts';
import { seededRandom } from '../support/random.ts';

/** The drill `client` at a fiftieth of its size. */
describe('Sends by the client through a faulty proxy', function () {
  this.timeout(180_000);

  it('each call resolves and each mail leaves once, also while the API is killed', async () => {
    const tally = await clientSends(process.env, { mails: 200, kills: 1, random: seededRandom(1) });
    const { kept, says } = judgeClient(tally);
    expect(kept, says).to.equal(true);
    for (const kind of ['drop', 'loseAnswer', 'refuse'] as const)
      expect(tally.faults.get(kind) ?? 0, kind).to.be.above(0);

    const repeats = new Map<string, number>();
    const faulty = [
      { found: { ...tally.found, mails: 201 } },
      { found: { ...tally.found, mails: 199 } },
      { found: { ...tally.found, duplicates: 1 } },
      { found: { ...tally.found, forgotten: 1 } },
      { failed: new Map([['TIMEOUT', 1]]) },
      { shared: 1 },
      { repeats },
    ];
    for (const fault of faulty) expect(judgeClient({ ...tally, ...fault }).kept, JSON.stringify(fault)).to.equal(false);
  });
});
