import { fuzzInbound } from './inbound.ts';
import { fuzzReportRules } from './report-rules.ts';
import { fuzzOptions } from './run.ts';

describe('Fuzz of mail that comes in', () => {
  it('Any mail is answered, holds no event loop for 50 ms and changes nothing but the mail that its address names.', async () => {
    await fuzzInbound(fuzzOptions(400));
  }).timeout(0);

  it('Any report, reply or thread is read within 50 ms.', async () => {
    await fuzzReportRules(fuzzOptions(3_000));
  }).timeout(0);
});
