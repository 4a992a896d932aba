import { type Environment, startEnvironment } from '../support/environment.ts';
import { someOf } from '../support/random.ts';
import { fuzzCalls, fuzzClients, fuzzJobs, startWarpedProviders, type WarpedProviders } from './provider-answers.ts';

const SEED = Number(process.env.FUZZ_SEED);

describe(`Malformed and hostile answers of the providers (seed ${SEED})`, function () {
  this.timeout(300_000);
  let env: Environment;
  let providers: WarpedProviders;

  before(async () => {
    providers = await startWarpedProviders();
    env = await startEnvironment({
      PROVIDER_A_URL: providers.a.url,
      PROVIDER_B_URL: providers.b.url,
      PROVIDER_B_RATE: '1000',
      ALLOW_PRIVATE_URLS: new URL(providers.files.url).host,
      MIGRATION_PATIENCE_SECONDS: '0',
    });
  });
  after(async () => {
    await Promise.all([env.stop(), providers.stop()]);
  });

  it('are read or refused by both clients', () => fuzzClients(providers, { cases: someOf(120), seed: SEED }));

  it('end a job, or hold it with a reason', () => fuzzJobs(env, providers, { cases: someOf(25), seed: SEED }));

  it('are an answer or a refusal of the calls that a person waits for', () =>
    fuzzCalls(env, providers, { cases: someOf(60), seed: SEED }));
});
