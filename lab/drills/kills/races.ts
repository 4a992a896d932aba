import { ObjectId } from 'mongodb';
import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { messageIdOf, readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { type Answer, answerOf, send } from '../../rig/traffic/calls.ts';
import { makeList } from '../../rig/traffic/people.ts';
import { addProject } from '../../rig/traffic/projects.ts';
import { atOnce, inLanes, pause } from '../../rig/waiting.ts';
import { queueMails } from './worker-kill.ts';

interface Races {
  keys: number;
  /** Requests at once with each key. */
  each: number;
  /** Upserts of one address. */
  upserts: number;
  /** Addresses, each asked for fifty times, cold. */
  addresses: number;
  /** Calls at once that add the same 500 people. */
  adds: number;
  workers: number;
  /** For all workers to send. */
  mails: number;
}

export interface RacesTally {
  asked: number;
  /** Answers 5xx but 503, or none. */
  faults: number;
  /** 503, asking to come back: more at once than the pool of connections takes. */
  busy: number;
  /** Each race that had two winners. */
  wrong: string[];
  found: Findings;
}

const AT_ONCE = 200;

type Post = (path: string, body: object, headers?: Record<string, string>) => Promise<Answer>;

/** The same thing asked of two API processes at the same time, in two projects; then more workers than mail. */
export function races(env: NodeJS.ProcessEnv, sizes: Races): Promise<RacesTally> {
  return withDrill(env, { ackMs: 5 }, async (context) => {
    const tally = { asked: 0, faults: 0, busy: 0, wrong: [] as string[] };
    const apis = await Promise.all([0, 1].map(() => context.startAnotherApi()));
    const postAs = (key: string): Post => {
      return async (path, body, headers = {}) => {
        for (;;) {
          tally.asked += 1;
          const answer = await post(apis[tally.asked % 2]!.url + path, key, body, headers);
          if (answer.status > 503 || answer.status === 500) tally.faults += 1;
          if (answer.status !== 503) return answer;
          tally.busy += 1;
          await pause(500);
        }
      };
    };
    const other = await addProject(context, 'Other');
    const own = postAs(context.key);
    const wrong = (what: string, isWrong: boolean) => void (isWrong && tally.wrong.push(what));

    await Promise.all([sameKey(own, SENDER, sizes, wrong), sameKey(postAs(other.key), other.sender, sizes, wrong)]);
    const mailsOf = (projectId: ObjectId) => context.deps.db.messages.countDocuments({ projectId });
    wrong('a key sent two mails', (await mailsOf(context.project._id)) !== sizes.keys);
    wrong('a key met that of another project', (await mailsOf(other.project._id)) !== sizes.keys);
    await sameAddress(context, own, sizes, wrong);
    await samePeople(context, own, sizes, wrong);
    await queueMails(context, { mails: sizes.mails, lane: 'marketing' });
    await manyWorkers(context, sizes, other);
    const theirs = await context.deps.db.messages.find({ projectId: other.project._id }).toArray();
    const foreign = theirs.map(({ _id }) => messageIdOf(_id.toHexString(), other.sender));
    return { ...tally, found: check(await readFacts(context, { foreign })) };
  });
}

export function judgeRaces({ asked, faults, busy, wrong, found }: RacesTally): Verdict {
  const faulty = [...wrong, ...broken(found), ...(faults > 0 ? [`${faults} answers 5xx but 503`] : [])];
  const says = `${asked} requests racing (${busy} of them 503, repeated), ${found.mails} mails raced for by all workers, ${tell(found)}`;
  return verdict(faulty, [says]);
}

type Wrong = (what: string, isWrong: boolean) => void;

async function sameKey(ask: Post, sender: string, { keys, each }: Races, wrong: Wrong): Promise<void> {
  const mail = (to: string) => ({ to: { email: to }, from: { email: sender }, subject: 'Once', text: 'Once.' });
  for (let key = 0; key < keys; key += 1) {
    const header = { 'Idempotency-Key': `race ${key}` };
    const again = () => ask('/mails/send', mail(`k${key}@in.test`), header);
    const answers = await atOnce(each, again);
    answers.push(await again());
    const ids = new Set(answers.filter(({ status }) => status < 300).map(({ data }) => data.emailId));
    wrong(`key ${key} has ${ids.size} emailIds`, ids.size !== 1);
    const other = answers.find(({ status, code }) => status >= 300 && code !== 'IDEMPOTENCY_IN_PROGRESS');
    wrong(`a race was answered with ${other?.status} ${other?.code}`, other !== undefined);
    const misuse = await ask('/mails/send', mail('somebody@in.test'), header);
    wrong('a key was used for two requests', misuse.code !== 'IDEMPOTENCY_KEY_REUSED');
  }
}

/** One address in many spellings, and many addresses that are new to the project. */
async function sameAddress({ deps, project }: DrillContext, ask: Post, { upserts, addresses }: Races, wrong: Wrong) {
  const spellings = ['One@In.Test', ' one@in.test', 'ONE@IN.TEST ', 'one@in.test'];
  const one = (index: number) => ({ email: spellings[index % 4], firstName: `N${index}` });
  await inLanes(AT_ONCE, upserts, (index) => ask('/contacts/email', one(index)));
  await inLanes(AT_ONCE, addresses * 50, (index) =>
    ask('/contacts/email', { email: `cold${index % addresses}@in.test` }),
  );
  const count = (email: string | RegExp) => deps.db.contacts.countDocuments({ projectId: project._id, email });
  wrong('one address has two contacts', (await count('one@in.test')) !== 1);
  wrong('cold addresses have two contacts', (await count(/^cold/)) !== addresses);
}

async function samePeople(context: DrillContext, ask: Post, { adds }: Races, wrong: Wrong): Promise<void> {
  const { deps, project } = context;
  const { listId } = await makeList(context, 'there', 0);
  const emails = Array.from({ length: 500 }, (_, index) => `added${index}@in.test`);
  const answers = await atOnce(adds, () => {
    const key = { 'Idempotency-Key': new ObjectId().toHexString() };
    return ask('/contact-lists/contacts/bulk-add', { contactListId: listId, emails }, key);
  });
  const created = answers.reduce((sum, { data }) => sum + Number(data.created ?? 0), 0);
  wrong(`${created} of 500 people were created`, created !== 500);
  const list = { projectId: project._id, listIds: new ObjectId(listId) };
  wrong('the list is not 500 long', (await deps.db.contacts.countDocuments(list)) !== 500);
  const parts = await deps.db.listCounts.find({ projectId: project._id, listId: new ObjectId(listId) }).toArray();
  const counted = parts.reduce((sum, { count }) => sum + count, 0);
  wrong(`the list counts ${counted} of 500`, counted !== 500);
}

async function manyWorkers(context: DrillContext, { workers }: Races, other: DrillContext): Promise<void> {
  const running = await atOnce(workers, () => context.startWorker({ SMTP_MAX_CONNECTIONS: '10' }));
  await Promise.all([untilSettled(context), untilSettled(other)]);
  await Promise.all(running.map((worker) => worker.stop(10_000)));
}

async function post(url: string, key: string, body: object, headers: Record<string, string>): Promise<Answer> {
  try {
    return await answerOf(await send({ key }, url, body, { headers }));
  } catch (error) {
    return { status: 599, code: (error as Error).message, data: {} };
  }
}
