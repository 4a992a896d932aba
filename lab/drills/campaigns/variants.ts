import type { Campaign } from '../../../core/campaigns/model.ts';
import type { Child } from '../../../stack/processes/child.ts';
import type { DrillContext } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { startSink } from '../../rig/sink.ts';
import { call } from '../../rig/traffic/calls.ts';
import { between, pause, repeatedly } from '../../rig/waiting.ts';
import type { Drill } from '../drill.ts';
import { readEvents, startVictim, untilAtPoint } from '../kills/fault-points.ts';
import { bothWays } from '../with-and-without-evidence.ts';
import { judgeCampaign } from './campaign-verdicts.ts';
import {
  type CampaignDrill,
  type CampaignTally,
  type CampaignUnderFire,
  campaignUnderFire,
  readCampaign,
} from './campaigns.ts';
import { readSplit, type SplitFacts } from './variant-facts.ts';
import {
  clickOn,
  letDecide,
  raceForWinner,
  raceOften,
  TEST,
  untilMeasured,
  variantsOf,
  type WinnerFacts,
} from './winner-races.ts';

interface VariantsDrill extends CampaignDrill {
  /** kill -9 of a process in each part of the campaign. */
  kills: { freeze: number; test: number; decision: number; rest: number };
  races: number;
}

export interface VariantsTally extends CampaignTally, SplitFacts, WinnerFacts {
  /** Looks through both APIs, and those at which the counts do not add up, a part is not as drawn, or the winner is another one. */
  looks: number;
  wrongLooks: number;
}

const PEOPLE = 10_000;
const TEST_SHARE = 30;
const HOLD_OUT_SHARE = 10;
const SUPPRESSED_PART = 100;
const LOOK_EVERY_MS = 300;
const ROLES = { sender: 'campaign', steady: 'workflows,background' };

/**
 * A campaign with three variants, a test, a hold-out and some who are suppressed: processes are killed while the audience is written down,
 * during the test, between the winner and its event, and while the winner is sent. Two APIs and the run decide at once.
 */
export async function variantsKill(env: NodeJS.ProcessEnv, drill: VariantsDrill): Promise<VariantsTally> {
  const { kills, recipients } = drill;
  const sink = await startSink(drill.ackMs, { kept: 2 * recipients });
  const fields = {
    ...{ sendNow: true, variants: variantsOf('A', 'B', 'C'), holdOutShare: HOLD_OUT_SHARE },
    test: { ...TEST, share: TEST_SHARE, minPerVariant: Math.round(recipients / 20) },
  };
  const found = { looks: 0, wrongLooks: 0 } as Omit<VariantsTally, keyof CampaignTally>;
  const listed = Array.from({ length: recipients }, (_, index) => `p${index}@in.test`);
  const suppressed = listed.slice(0, recipients / SUPPRESSED_PART);
  const tally = await campaignUnderFire(env, { ...drill, fields, relay: async () => sink }, async (fire) => {
    const { context, campaign } = fire;
    const { _id } = campaign;
    await readEvents(context);
    const started = await Promise.all([context.startApi(), context.startAnotherApi()]);
    const apis = started.map(({ url }) => url);
    await suppress(context, apis, suppressed);
    const endLooks = watchThroughApis(context, apis, campaign, found);
    try {
      const senders = [startMember(fire, ROLES.sender), startMember(fire, ROLES.sender)];
      await killWhileFreezing(fire, kills.freeze);
      const crew = await Promise.all([...senders, startMember(fire, ROLES.steady)]);
      await killWhileSending(fire, crew, { kills: kills.test, hurry: drill.hurry ?? false });
      await untilMeasured(context, _id);
      const measured = await readCampaign(context, _id);
      await clickOn(context, measured, { A: 0.2, B: 0.6, C: 0.2 });
      await killAtDecision(fire, crew, kills.decision);
      const [, raced] = await Promise.all([
        letDecide(context, measured),
        raceForWinner(context, apis, measured, ['A', 'C']),
      ]);
      await killWhileSending(fire, crew, { kills: kills.rest, hurry: drill.hurry ?? false });
      await fire.untilSent();
      const often = await raceOften(context, apis, drill.races);
      const split = { listed, suppressed, mails: await sink.mails() };
      Object.assign(found, await readSplit(context, await readCampaign(context, _id), split), {
        races: often.races + 1,
        wrongAnswers: often.wrongAnswers + raced.wrongAnswers,
        wrongEvents: often.wrongEvents + raced.wrongEvents,
      });
      await Promise.all(crew.map(({ child }) => child.stop(15_000)));
    } finally {
      await endLooks();
    }
  });
  // These alone may have a row that says they get nothing.
  return { ...tally, ...found, lost: Math.abs(tally.lost - found.suppressed) };
}

async function suppress(context: DrillContext, [url]: readonly string[], emails: string[]): Promise<void> {
  await call(context, `${url}/suppression-groups/emails/suppress`, { emails, reason: 'UNSUBSCRIBE' });
}

/** Each attempt is killed where it writes blocks, every other one a step later. */
async function killWhileFreezing(fire: CampaignUnderFire, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const fault = { at: 'freeze', signal: 'SIGKILL', after: 1 + (kill % 2) } as const;
    const victim = await startVictim(fire, ROLES.steady, { ...fault, env: {} });
    await untilAtPoint(victim);
    await fire.noteFault();
  }
}

interface Member {
  lanes: string;
  child: Child;
}

async function startMember(fire: CampaignUnderFire, lanes: string): Promise<Member> {
  return { lanes, child: await fire.startWorker(lanes) };
}

/** One after the other in turn. In a hurry it is both senders, since one that runs goes by its own clock when leases are put back. */
async function killWhileSending(
  fire: CampaignUnderFire,
  crew: Member[],
  { kills, hurry }: { kills: number; hurry: boolean },
): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await fire.untilMoving();
    await pause(between(0, 300));
    await fire.noteFault();
    await replace(
      fire,
      hurry ? crew.filter(({ lanes }) => lanes === ROLES.sender) : [crew[kill % crew.length]!],
      hurry,
    );
  }
}

async function replace(fire: CampaignUnderFire, members: Member[], hurry: boolean): Promise<void> {
  for (const { child } of members) child.kill('SIGKILL');
  await Promise.all(members.map(({ child }) => child.exited));
  if (hurry) await fire.endLeases();
  await Promise.all(
    members.map(async (member) => {
      member.child = await fire.startWorker(member.lanes);
    }),
  );
}

/** The run decides, and its process is killed when the winner is written and its transaction is not committed. */
async function killAtDecision(fire: CampaignUnderFire, crew: Member[], kills: number): Promise<void> {
  const steady = crew.find(({ lanes }) => lanes === ROLES.steady)!;
  await steady.child.stop(15_000);
  const campaign = await readCampaign(fire.context, fire.campaign._id);
  for (let kill = 0; kill < kills; kill += 1) {
    const fault = { at: 'winner and event', signal: 'SIGKILL', after: 1 } as const;
    const victim = await startVictim(fire, ROLES.steady, { ...fault, env: {} });
    await letDecide(fire.context, campaign);
    await untilAtPoint(victim);
    await fire.noteFault();
  }
  steady.child = await fire.startWorker(ROLES.steady);
}

/** Looks at the campaign as callers of either API do, all the time. */
function watchThroughApis(
  { key }: DrillContext,
  apis: readonly string[],
  { _id }: Campaign,
  found: Pick<VariantsTally, 'looks' | 'wrongLooks'>,
): () => Promise<void> {
  let turn = 0;
  const winners = new Set<string>();
  const get = async (url: string, what: string) => {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/campaigns/${_id.toHexString()}/${what}`, { headers });
    // biome-ignore lint/suspicious/noExplicitAny: a measurement looks into answers of several shapes.
    return answer.ok ? ((await answer.json()) as any).data : null;
  };
  const look = async (url: string) => {
    const [progress, figures] = [await get(url, 'progress'), await get(url, 'variants')];
    if (!progress || !figures) return;
    found.looks += 1;
    const { total, suppressed, failed, sent, unknown, pending, test } = progress;
    for (const { winner } of [test, figures.test]) if (winner) winners.add(JSON.stringify(winner));
    const parts = figures.variants.map((one: { total: number }) => one.total);
    const isSplit = Math.max(...parts) - Math.min(...parts) <= 1;
    const isWithin = figures.variants.every((one: { sent: number; total: number }) => one.sent <= one.total);
    const isRight = total === suppressed + failed + sent + unknown + pending && isSplit && isWithin;
    if (!isRight || winners.size > 1) found.wrongLooks += 1;
  };
  // A look that is not answered shows nothing: it is how many there were that counts.
  return repeatedly(LOOK_EVERY_MS, () => look(apis[turn++ % apis.length]!).catch(() => {}));
}

export function judgeVariants(name: string, drill: CampaignDrill, tally: VariantsTally): Verdict {
  const { kept, says } = judgeCampaign(name, drill, tally);
  const { tested, parts, holdOut, off, misplaced, uninvited, twice, wrongMail } = tally;
  const { races, wrongAnswers, wrongEvents, looks, wrongLooks } = tally;
  const faults = misplaced + uninvited + twice + wrongMail + wrongAnswers + wrongEvents + wrongLooks;
  return {
    kept: kept && off < 1 && faults === 0 && looks > 0 && races > 0 && holdOut > 0,
    says: `${says}; test ${tested} as ${parts.join(' + ')}, off by ${off.toFixed(2)}, hold-out ${holdOut}, misplaced ${misplaced}, uninvited ${uninvited}, twice ${twice}, wrong mail ${wrongMail}; ${races} races for a winner, wrong answers ${wrongAnswers}, wrong events ${wrongEvents}; ${looks} looks through the APIs, ${wrongLooks} wrong`,
  };
}

export const variantsDrill: Drill = {
  does: 'three variants, a test and a hold-out among 10,000 people (--size), 20 kills from the freeze to the mail of the winner, and winners that two APIs and the run race for',
  alone: true,
  async *run(env) {
    const recipients = Number(env.DRILL_SIZE ?? PEOPLE);
    const kills = { freeze: 3, test: 5, decision: 3, rest: 9 };
    const full = { recipients, kills, races: 10, connections: 5, ackMs: 50 };
    for (const { drill, tally } of await bothWays(full, (one) => variantsKill(env, one)))
      yield judgeVariants(drill.evidence ? 'with evidence' : 'without evidence', drill, tally);
  },
};
