import { fuzzOptions } from '../run.ts';
import { fuzzReportRules } from './report-rules.ts';

describe('Fuzz of reports, replies and threads', () => {
  it('Any report, reply or thread is read within 50 ms.', async () => {
    await fuzzReportRules(fuzzOptions(3_000));
  }).timeout(0);
});
