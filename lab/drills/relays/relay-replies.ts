import { ObjectId } from 'mongodb';
import { createGroup } from '../../../core/consent/suppressions/groups.ts';
import { sendMail } from '../../../core/mail/accept/send.ts';
import type { MessageState } from '../../../core/mail/ledger/states.ts';
import { type DrillContext, origin, SENDER, withDrill } from '../../rig/context.ts';
import { messageIdOf } from '../../rig/facts/facts.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { setModes } from '../../rig/sink.ts';
import { pause, until } from '../../rig/waiting.ts';

interface Reply {
  /** The local part of the address; the sink chooses its reply by it. */
  name: string;
  state: MessageState;
  /** How often the relay has the mail in the end. */
  taken: 0 | 1;
  isSuppressed?: boolean;
}

/** Marketing mail without evidence, where nothing ambiguous is ever repeated. */
const replies: readonly Reply[] = [
  { name: 'anna', state: 'sent', taken: 1 },
  { name: 'temp-rcpt-450', state: 'deferred', taken: 0 },
  { name: 'temp-rcpt-452-4.2.2', state: 'deferred', taken: 0 },
  { name: 'perm-rcpt-550-5.1.1', state: 'bounced', taken: 0, isSuppressed: true },
  { name: 'drop-at-rcpt', state: 'deferred', taken: 0 },
  { name: 'reject-data-451', state: 'deferred', taken: 0 },
  { name: 'drop-at-data', state: 'deferred', taken: 0 },
  { name: 'after-dot-451', state: 'deferred', taken: 0 },
  { name: 'after-dot-550-5.7.1', state: 'failed', taken: 0 },
  { name: 'drop-after-dot', state: 'unknown', taken: 1 },
  { name: 'lose-after-dot', state: 'unknown', taken: 0 },
  { name: 'silent-after-dot', state: 'unknown', taken: 1 },
  { name: 'no-smtp', state: 'unknown', taken: 1 },
  { name: 'drop-after-250', state: 'sent', taken: 1 },
  { name: 'slow-1s', state: 'sent', taken: 1 },
  { name: 'multi-line-250', state: 'sent', taken: 1 },
  { name: 'no-enhanced', state: 'sent', taken: 1 },
  { name: 'bare-250', state: 'sent', taken: 1 },
  { name: 'eight-bit', state: 'sent', taken: 1 },
  { name: 'control-bytes', state: 'sent', taken: 1 },
];

const waysToTurnAway: readonly object[] = [
  { greeting: '421 4.3.2 not now' },
  { mailReply: '421 4.7.0 try later\r\n' },
  { mailReply: '451 4.7.1 too many messages from you, slow down\r\n' },
];

export interface RepliesTally {
  each: number;
  replies: number;
  /** Mails whose end was not the one of the table, by what the relay did. */
  wrong: Map<string, number>;
  suppressed: number;
  suppressedMeant: number;
  /** While the relay turned everybody away: mails that had an attempt counted against them, and those not sent after it. */
  turnedAway: number;
  counted: number;
  unsent: number;
}

/** Every answer that a relay can give, each to so many people; then three ways to turn everybody away. */
export function relayReplies(
  env: NodeJS.ProcessEnv,
  { each, ways = waysToTurnAway.length }: { each: number; ways?: number },
): Promise<RepliesTally> {
  return withDrill(env, { ackMs: 0 }, async (context) => {
    const { groupId } = await createGroup(context.deps, context.project, { name: 'Replies' }, origin());
    const worker = await context.startWorker({ SMTP_MAX_CONNECTIONS: '20', SMTP_DOT_TIMEOUT_SECONDS: '6' });
    const ids = new Map<Reply, string[]>();
    await Promise.all(replies.map(async (reply) => ids.set(reply, await send(context, reply.name, { each, groupId }))));
    await until('every mail has met the relay', async () => (await countOpen(context)) === 0);
    const wrong = await compare(context, ids);
    const { suppressions } = context.deps.db;
    const suppressed = await suppressions.countDocuments({ projectId: context.project._id, reason: 'BOUNCE' });
    const suppressedMeant = replies.filter((reply) => reply.isSuppressed).length * each;
    const turned = await turnAway(context, { each, groupId, ways });
    await worker.stop(10_000);
    return { each, replies: replies.length, wrong, suppressed, suppressedMeant, ...turned };
  });
}

export function judgeReplies({ each, wrong, ...tally }: RepliesTally): Verdict {
  const { suppressed, suppressedMeant, turnedAway, counted, unsent } = tally;
  const faulty = [...wrong].map(([name, times]) => `${times} of ${name} ended otherwise`);
  const kept = faulty.length === 0 && suppressed === suppressedMeant && counted + unsent === 0 && turnedAway > 0;
  return {
    kept,
    says: [
      `${tally.replies} answers, each to ${each}: ${faulty.length === 0 ? 'each ended as it should' : faulty.join(', ')}`,
      `suppressed ${suppressed} of ${suppressedMeant}`,
      `turned away by 421 and rate limits: ${turnedAway} mails, attempts counted ${counted}, not sent afterwards ${unsent}`,
    ].join('; '),
  };
}

async function send(
  { deps, project }: DrillContext,
  name: string,
  { each, groupId }: { each: number; groupId: string },
): Promise<string[]> {
  const mail = { from: { email: SENDER }, subject: 'Reply', text: 'Once.', unsubscribeGroupId: groupId };
  const ids: string[] = [];
  for (let index = 0; index < each; index += 1) {
    const { emailId } = await sendMail(deps, project, { ...mail, to: { email: `${name}+${index}@in.test` } }, origin());
    ids.push(emailId);
  }
  return ids;
}

function countOpen({ deps, project }: DrillContext): Promise<number> {
  const open = { $in: ['queued' as const, 'committing' as const] };
  return deps.db.messages.countDocuments({ projectId: project._id, state: open });
}

/** A deferred mail may be in another try just now (`committing`); its state and its count at the relay must be the same. */
async function compare({ deps, project, sink }: DrillContext, ids: Map<Reply, string[]>): Promise<Map<string, number>> {
  const accepted = await sink.ids();
  const rows = await deps.db.messages.find({ projectId: project._id }, { projection: { state: 1 } }).toArray();
  const states = new Map(rows.map(({ _id, state }) => [_id.toHexString(), state]));
  const wrong = new Map<string, number>();
  for (const [{ name, state, taken }, some] of ids) {
    const others = some.filter((id) => {
      const now = states.get(id) === 'committing' ? 'deferred' : states.get(id);
      return now !== state || (accepted.get(messageIdOf(id)) ?? 0) !== taken;
    });
    if (others.length > 0) wrong.set(name, others.length);
  }
  return wrong;
}

/** A refusal for the relay's own state says nothing about a recipient: no attempt is counted, and all is sent when it is over. */
async function turnAway(
  context: DrillContext,
  { each, groupId, ways }: { each: number; groupId: string; ways: number },
): Promise<Pick<RepliesTally, 'turnedAway' | 'counted' | 'unsent'>> {
  const { deps, project, sink } = context;
  const ids: string[] = [];
  for (const way of waysToTurnAway.slice(0, ways)) {
    await setModes(sink, way);
    ids.push(...(await send(context, `way${ids.length}`, { each, groupId })));
    await pause(1_500);
    await setModes(sink, { greeting: '220 sink ESMTP', mailReply: null });
  }
  const mine = { projectId: project._id, _id: { $in: ids.map((id) => new ObjectId(id)) } };
  const unsent = () => deps.db.messages.countDocuments({ ...mine, state: { $ne: 'sent' } });
  await until('what was turned away is sent', async () => (await unsent()) === 0, 90_000).catch(() => {});
  const counted = await deps.db.messages.countDocuments({ ...mine, deferrals: { $gt: 0 } });
  return { turnedAway: ids.length, counted, unsent: await unsent() };
}
