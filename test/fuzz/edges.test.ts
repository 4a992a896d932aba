import { useEnvironment } from '../support/environment.ts';
import { fuzzFilters } from './filters.ts';
import { fuzzImports } from './imports.ts';
import { fuzzDefinitions, fuzzIdempotencyKeys, fuzzLinks, fuzzSignatures } from './requests.ts';
import { fuzzOptions } from './run.ts';
import { fuzzTokens } from './tokens.ts';

describe('Fuzz of what callers and links bring', () => {
  const environment = useEnvironment({ PUBLIC_RATE_LIMIT: '10000000' });

  it('A token is read only as it was made, for what it was made, and within 50 ms.', () =>
    fuzzTokens(fuzzOptions(2_000))).timeout(0);

  it('A filter is read and matched, or refused with what is wrong, within 50 ms.', () =>
    fuzzFilters(fuzzOptions(3_000))).timeout(0);

  it('A file of an import has rows or a problem, and holds no event loop for 50 ms.', () =>
    fuzzImports(fuzzOptions(100))).timeout(0);

  it('A webhook signature is what a receiver computes, for no other body, time or secret.', () =>
    fuzzSignatures(fuzzOptions(1_000))).timeout(0);

  it('An Idempotency-Key is one request of one project, or refused; nothing of another project changes.', () =>
    fuzzIdempotencyKeys(environment, fuzzOptions(500))).timeout(0);

  it('A link that was never sent changes nothing in any project.', () =>
    fuzzLinks(environment, fuzzOptions(300))).timeout(0);

  it('A segment or webhook of any input is made in its own project, or refused.', () =>
    fuzzDefinitions(environment, fuzzOptions(200))).timeout(0);
});
