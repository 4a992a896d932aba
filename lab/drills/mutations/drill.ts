import { MongoClient } from 'mongodb';
import { type Say, say } from '../../../stack/output.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { type Copy, checkoutText, copyCheckout } from './copy.ts';
import { faultOf, type Mutation } from './mutation.ts';
import { runTests, type TestsEnd } from './run-tests.ts';

const SIDE_BY_SIDE = 2;
/** Files of dropped databases stay open as long as this. With the usual 300 s, so many test databases in a row use up all descriptors. */
const HISTORY_SECONDS = 30;

/** All of them, or those with the text in their name or file. */
export function chosenBy(text: string | undefined, mutations: readonly Mutation[]): readonly Mutation[] {
  const chosen = mutations.filter(({ name, file }) => !text || `${file} ${name}`.includes(text));
  if (chosen.length === 0) throw new Error(`no mutation has "${text}" in its name or file`);
  return chosen;
}

/** Tries each mutation in a copy of the checkout. Every one of them must make its tests fail, and these pass without it. */
export async function* mutationDrill(
  mutations: readonly Mutation[],
  env: NodeJS.ProcessEnv,
  progress: Say = say,
): AsyncGenerator<Verdict> {
  const faults = mutations.flatMap((mutation) => faultOf(mutation, checkoutText) ?? []);
  if (faults.length > 0) throw new Error(`the list of mutations is out of date:\n${faults.join('\n')}`);
  await shortenHistory(env.MONGODB_URL);
  const copies = Array.from({ length: Math.min(SIDE_BY_SIDE, mutations.length) }, copyCheckout);
  const survivors: Verdict[] = [];
  try {
    const waiting = [...mutations];
    const whole = withoutMutation(env);
    const runNext = async (copy: Copy) => {
      for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
        const { kept, says } = await tryMutation(copy, mutation, env, whole);
        progress(`${mutations.length - waiting.length} of ${mutations.length}: ${mutation.name}: ${says}`);
        if (!kept) survivors.push({ kept, says: `${mutation.name} (${mutation.file}): ${says}` });
      }
    };
    await Promise.all(copies.map(runNext));
  } finally {
    for (const copy of copies) copy.remove();
  }
  yield* survivors;
  const noticed = mutations.length - survivors.length;
  yield {
    kept: survivors.length === 0,
    says: `${mutations.length} mutations, ${noticed} noticed, ${survivors.length} not`,
  };
}

async function shortenHistory(url: string | undefined): Promise<void> {
  if (!url) return;
  const mongo = await MongoClient.connect(url);
  await mongo.db('admin').command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: HISTORY_SECONDS });
  await mongo.close();
}

type Whole = (copy: Copy, mutation: Mutation) => Promise<TestsEnd>;

/** The same tests run unchanged code once, however many mutations name them. */
function withoutMutation(env: NodeJS.ProcessEnv): Whole {
  const known = new Map<string, Promise<TestsEnd>>();
  return ({ folder }, { tests, grep }) => {
    const key = JSON.stringify([tests, grep]);
    const end = known.get(key) ?? runTests(folder, { tests, grep }, env);
    known.set(key, end);
    return end;
  };
}

async function tryMutation(copy: Copy, mutation: Mutation, env: NodeJS.ProcessEnv, whole: Whole): Promise<Verdict> {
  const before = await whole(copy, mutation);
  if (before.how !== 'passed') return { kept: false, says: `its tests ${before.how} without it (${before.reason})` };
  const { how, reason } = await copy.mutated(mutation, () => runTests(copy.folder, mutation, env));
  if (how === 'failed') return { kept: true, says: `noticed (${reason})` };
  return { kept: false, says: how === 'passed' ? 'survived' : `its tests ${how} (${reason})` };
}
