import { fuzzFilters } from '../../../test/fuzz/filters.ts';
import { fuzzImports } from '../../../test/fuzz/imports.ts';
import { fuzzInbound } from '../../../test/fuzz/mail/inbound.ts';
import { fuzzReportRules } from '../../../test/fuzz/mail/report-rules.ts';
import { fuzzSmtpReplies } from '../../../test/fuzz/mail/smtp-replies.ts';
import {
  fuzzCalls,
  fuzzClients,
  fuzzJobs,
  startWarpedProviders,
  type WarpedProviders,
} from '../../../test/fuzz/provider-answers.ts';
import { fuzzDefinitions, fuzzIdempotencyKeys, fuzzLinks, fuzzSignatures } from '../../../test/fuzz/requests.ts';
import type { FuzzOptions, FuzzResult } from '../../../test/fuzz/run.ts';
import { fuzzTemplates } from '../../../test/fuzz/templates.ts';
import { fuzzTokens } from '../../../test/fuzz/tokens.ts';
import { judgeEverything, worstOf } from '../../../test/maximum/everything.ts';
import { describeJudged, type Judged } from '../../../test/maximum/judge.ts';
import { shapeNames } from '../../../test/maximum/shapes.ts';
import { type Environment, startEnvironment } from '../../../test/support/environment.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';

/** With as many cases, everything has all shapes. */
const CASES_OF_ALL_SHAPES = 100_000;
const WORST = 10;

type Target = (options: FuzzOptions) => Promise<FuzzResult | undefined>;

/** Out of 1,000 cases. Cases that need a server are slower than those of a function. */
const SHARES = {
  tokens: 200,
  filters: 210,
  'report rules': 150,
  templates: 150,
  signatures: 130,
  'SMTP replies': 80,
  imports: 15,
  'inbound mail': 20,
  'Idempotency-Keys': 15,
  links: 15,
  definitions: 5,
  'provider clients': 7,
  'provider jobs': 1,
  'provider calls': 2,
};

/** `FUZZ_SEED` repeats a run. Every target is run; each has a line of its own. */
export async function* fuzzDrill(env: NodeJS.ProcessEnv, cases: number): AsyncIterable<Verdict> {
  Object.assign(process.env, env);
  const seed = Number(env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  const providers = await startWarpedProviders();
  const environment = await startEnvironment({
    PUBLIC_RATE_LIMIT: '10000000',
    PROVIDER_A_URL: providers.a.url,
    PROVIDER_B_URL: providers.b.url,
    PROVIDER_B_RATE: '1000',
    ALLOW_PRIVATE_URLS: new URL(providers.files.url).host,
    MIGRATION_PATIENCE_SECONDS: '0',
  });
  try {
    const targets = targetsOf(environment, providers, seed);
    for (const [name, share] of Object.entries(SHARES))
      yield await judge(name, targets[name as keyof typeof SHARES], {
        cases: Math.round((cases * share) / 1_000),
        seed,
      });
  } finally {
    await Promise.all([environment.stop(), providers.stop()]);
  }
  yield await judgeMaximum(seed, Math.max(1, Math.round((shapeNames.length * cases) / CASES_OF_ALL_SHAPES)));
}

/** Everything at its maximum at once, with so many shapes of it. */
async function judgeMaximum(seed: number, shapes: number): Promise<Verdict> {
  const all: Judged[] = [];
  for await (const judged of judgeEverything(seed, shapes)) all.push(judged);
  const ran = `everything at its maximum: ${all.length} cases, FUZZ_SEED=${seed}`;
  const wrong = all.filter(({ faults }) => faults.length > 0);
  if (wrong.length > 0) return { kept: false, says: `${ran}: ${wrong.map(describeJudged).join('; ').slice(0, 4_000)}` };
  return { kept: true, says: `${ran}, the longest turns: ${worstOf(all, WORST).map(describeJudged).join('; ')}` };
}

function targetsOf(
  environment: Environment,
  providers: WarpedProviders,
  seed: number,
): Record<keyof typeof SHARES, Target> {
  const without = (work: (options: { cases: number; seed: number }) => Promise<void>) => (options: FuzzOptions) =>
    work({ seed, ...options }).then(() => undefined);
  return {
    tokens: fuzzTokens,
    filters: fuzzFilters,
    'report rules': fuzzReportRules,
    templates: fuzzTemplates,
    signatures: fuzzSignatures,
    'SMTP replies': fuzzSmtpReplies,
    imports: fuzzImports,
    'inbound mail': fuzzInbound,
    'Idempotency-Keys': (options) => fuzzIdempotencyKeys(environment, options),
    links: (options) => fuzzLinks(environment, options),
    definitions: (options) => fuzzDefinitions(environment, options),
    'provider clients': without((options) => fuzzClients(providers, options)),
    'provider jobs': without((options) => fuzzJobs(environment, providers, options)),
    'provider calls': without((options) => fuzzCalls(environment, providers, options)),
  };
}

async function judge(name: string, target: Target, options: { cases: number; seed: number }): Promise<Verdict> {
  const ran = `${name}: ${options.cases} cases, FUZZ_SEED=${options.seed}`;
  try {
    const result = await target(options);
    return { kept: true, says: result ? `${ran}, longest hold ${result.longestMs.toFixed(1)} ms` : `${ran}, no crash` };
  } catch (error) {
    return { kept: false, says: `${ran}: ${(error as Error).message.slice(0, 2_000)}` };
  }
}
