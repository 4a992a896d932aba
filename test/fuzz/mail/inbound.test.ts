import { fuzzOptions } from '../run.ts';
import { fuzzInbound } from './inbound.ts';

describe('Fuzz of mail that comes in', () => {
  it('Any mail is answered, holds no event loop for 50 ms and changes nothing but the mail that its address names.', async () => {
    await fuzzInbound(fuzzOptions(250));
  }).timeout(0);
});
