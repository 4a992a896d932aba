import { expect } from 'chai';
import { openStage, type Stage } from '../workflows/support.ts';

/** Half of the time that a look at a campaign may take, and several times that between two heartbeats. */
const SOON_MS = 60_000;

describe('The workflow campaignSend', function () {
  this.timeout(180_000);
  let stage: Stage;
  let looks = 0;
  const lost = Promise.withResolvers<void>();
  before(async () => {
    stage = await openStage({
      advanceCampaign: async () => {
        looks += 1;
        // Without a heartbeat, like a task that no worker has got.
        if (looks === 1) await lost.promise;
        return { kind: 'end', status: 'sent', summary: 'sent', details: 'sent' };
      },
    });
  });
  after(async () => {
    lost.resolve();
    await stage.stop();
  });

  it('begins a look again whose task was lost, long before it would be late', async () => {
    const began = performance.now();
    const ref = { projectId: '0123456789abcdef01234567', campaignId: '89abcdef0123456789abcdef' };
    const handle = await stage.start('campaignSend', stage.newId('lost'), [ref]);
    expect(await handle.result()).to.deep.equal({ status: 'sent' });
    expect(performance.now() - began).to.be.below(SOON_MS);
    expect(looks).to.equal(2);
  });
});
