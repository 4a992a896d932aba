import { fuzzOptions } from '../run.ts';
import { fuzzSmtpReplies } from './smtp-replies.ts';

describe('Fuzz of the answers of a relay', () => {
  it('Whatever it says, nothing crashes or holds the event loop, and a mail is sent only when its dot was answered with 2xx.', async () => {
    await fuzzSmtpReplies(fuzzOptions(2_000));
  }).timeout(0);
});
