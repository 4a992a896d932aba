import { fuzzOptions } from './run.ts';
import { fuzzTemplates } from './templates.ts';

describe('Fuzz of templates', () => {
  it('A template is rendered, or refused with its line or a reason, within 50 ms for each step.', async () => {
    await fuzzTemplates(fuzzOptions(1_000));
  }).timeout(0);
});
