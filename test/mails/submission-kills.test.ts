// Promise: nothing is lost.
import { expect } from 'chai';
import { judgeSubmission, submissionKill } from '../../lab/drills/kills/submission.ts';

/** The drill of `npm run drill -- submission` in small. */
describe('kill -9 of the submission process', function () {
  this.timeout(240_000);

  it('loses no mail that was answered with 250, and queues none twice, while clients repeat', async () => {
    const { kept, says } = judgeSubmission(await submissionKill(process.env, { mails: 200, kills: 2 }));
    expect(kept, says).to.equal(true);
  });
});
