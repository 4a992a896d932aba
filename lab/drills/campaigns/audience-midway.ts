import { withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { brokenCalls, type Calls, noCalls, post, tellCalls } from '../../rig/traffic/calls.ts';
import { campaignTo, makeList } from '../../rig/traffic/people.ts';
import { atOnce, until } from '../../rig/waiting.ts';

export interface MidwayTally {
  recipients: number;
  suppressed: number;
  deleted: number;
  /** Messages of theirs that were claimed after the answer. */
  claimedAfterSuppression: number;
  claimedAfterDeletion: number;
  /** Contacts that are there again. */
  resurrected: number;
  /** Suppressed or deleted people that got no mail: the fault must hit at least one. */
  spared: number;
  found: Findings;
  calls: Calls;
}

const CALL_SIZE = 50;

/** In the middle of a campaign some of its people are suppressed and others deleted; no mail reaches them after the answer. */
export function audienceMidway(
  env: NodeJS.ProcessEnv,
  { recipients, share }: { recipients: number; share: number },
): Promise<MidwayTally> {
  return withDrill(env, { ackMs: 20 }, async (context) => {
    const { deps, project } = context;
    const { campaigns, contacts, messages } = deps.db;
    const projectId = project._id;
    const calls = noCalls();
    const api = await context.startApi();
    await context.startWorker({ WORKER_LANES: 'workflows,background,campaign', SMTP_MAX_CONNECTIONS: '5' });
    const line = { key: context.key, urls: () => [api.url] };
    const send = (path: string, body: object) => post(line, calls, path, body);
    const { listId, emails } = await makeList(context, 'p', recipients);
    await send('/campaigns', campaignTo(listId));
    await until('a third is sent', async () => {
      return (await messages.countDocuments({ projectId, state: 'sent' })) > recipients / 3;
    });
    // From the end, where most are still to come.
    const chosen = emails
      .toSorted()
      .toReversed()
      .slice(0, Math.round(recipients * share) * 2);
    const answeredAt = new Map<string, number>();
    const inCalls = (all: string[], path: string) =>
      atOnce(Math.ceil(all.length / CALL_SIZE), async (index) => {
        const some = all.slice(index * CALL_SIZE, (index + 1) * CALL_SIZE);
        await send(path, { emails: some });
        for (const email of some) answeredAt.set(email, Date.now());
      });
    const [toSuppress, toDelete] = [chosen.filter((_, index) => index % 2), chosen.filter((_, index) => !(index % 2))];
    await Promise.all([
      inCalls(toSuppress, '/suppression-groups/emails/suppress'),
      inCalls(toDelete, '/contacts/remove'),
    ]);
    const isSent = async () => (await campaigns.findOne({ projectId }))?.status === 'sent';
    await until('the campaign is sent', isSent, 120_000);
    await untilSettled(context);
    const rows = await messages.find({ projectId, email: { $in: chosen } }).toArray();
    const late = (some: string[]) =>
      rows.filter(
        ({ email, claimedAt, state }) =>
          some.includes(email) && state === 'sent' && (claimedAt?.getTime() ?? 0) > (answeredAt.get(email) ?? 0),
      ).length;
    return {
      ...{ recipients, suppressed: toSuppress.length, deleted: toDelete.length, calls },
      claimedAfterSuppression: late(toSuppress),
      claimedAfterDeletion: late(toDelete),
      resurrected: await contacts.countDocuments({ projectId, email: { $in: toDelete } }),
      spared: chosen.length - rows.filter(({ state }) => state === 'sent').length,
      found: check(await readFacts(context)),
    };
  });
}

export function judgeMidway(tally: MidwayTally): Verdict {
  const { recipients, suppressed, deleted, found, calls, spared, resurrected } = tally;
  const { claimedAfterSuppression, claimedAfterDeletion } = tally;
  const faulty = [
    ...broken(found, { refused: suppressed + deleted }),
    ...brokenCalls(calls),
    ...(claimedAfterSuppression > 0 ? [`${claimedAfterSuppression} claimed after their suppression`] : []),
    ...(claimedAfterDeletion > 0 ? [`${claimedAfterDeletion} claimed after their deletion`] : []),
    ...(resurrected > 0 ? [`${resurrected} contacts are there again`] : []),
    ...(spared === 0 ? ['everybody had it already'] : []),
  ];
  return verdict(faulty, [
    `campaign of ${recipients}: ${suppressed} suppressed and ${deleted} deleted in its middle, ${spared} of them spared, claimed after the answer ${claimedAfterSuppression + claimedAfterDeletion}`,
    tell(found),
    tellCalls(calls),
  ]);
}
