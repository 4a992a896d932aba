import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import type { Project } from '../../base/model.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { PAUSED_BY_CALL } from '../../campaigns/control.ts';
import type { Domain, RecordName } from '../../domains/model.ts';
import type { Webhook, WebhookTry } from '../../events/model.ts';
import type { FiguresDeps } from '../deps.ts';
import { readState } from '../reports/state.ts';
import type { CampaignNow } from './campaigns.ts';
import type { RelayNow } from './relay.ts';

/** Something that a person has to look at. */
export interface Attention {
  kind: 'relay' | 'migration' | 'campaign' | 'webhook' | 'domain' | 'reputation';
  /** Of the migration, campaign, webhook or domain. */
  id: string | null;
  name: string;
  since: Date;
  /** The number of people who wait for it, or deliveries of a webhook; null where that is not known. */
  count: number | null;
  /** The cause, and the consequence. */
  sentence: string;
}

const EACH_MAX = 20;
/** Deliveries of a webhook that are counted. */
const DELIVERIES_MAX = 200;
const FAILED_MS = DAY_MS;
/** At most that share of the time is spent on reading them. */
const SHARE = 1 / 100;

type AttentionDeps = Pick<FiguresDeps, 'db' | 'clock'>;

const kept = oncePerCore((_deps: Pick<FiguresDeps, 'state'>) =>
  costlyCache<Attention[]>({ sizeMax: 1_000, factor: 1 / SHARE }),
);

/** The latest first. */
export async function attentionNow(
  deps: AttentionDeps & Pick<FiguresDeps, 'state'>,
  { _id }: Pick<Project, '_id'>,
  { campaigns, relay }: { campaigns: readonly CampaignNow[]; relay: RelayNow },
): Promise<Attention[]> {
  const stored = await kept(deps).get(_id.toHexString(), () => readStored(deps, _id));
  const all = [...ofRelay(relay), ...campaigns.flatMap(ofPaused), ...stored];
  return all.toSorted((a, b) => b.since.getTime() - a.since.getTime());
}

/** Each part is read by an index that has few entries. */
async function readStored(deps: AttentionDeps, projectId: ObjectId): Promise<Attention[]> {
  const found = await Promise.all([
    ofMigration(deps, projectId),
    ofFailedCampaigns(deps, projectId),
    ofWebhooks(deps, projectId),
    ofDomains(deps, projectId),
    ofReputation(deps, projectId),
  ]);
  return found.flat();
}

function ofRelay({ state, notAnsweringSince, reason }: RelayNow): Attention[] {
  if (state !== 'not_answering' || !notAnsweringSince) return [];
  const sentence = `The relay has not answered since ${notAnsweringSince.toISOString()}; mail waits, and nothing is lost.${reason ? ` ${reason}` : ''}`;
  return [{ kind: 'relay', id: null, name: 'Relay', since: notAnsweringSince, count: null, sentence }];
}

async function ofMigration({ db }: AttentionDeps, projectId: ObjectId): Promise<Attention[]> {
  const held = await db.migrations.findOne({ projectId, status: 'needs_attention' }, { hint: 'one_at_a_time' });
  if (!held) return [];
  const contacts = held.phases.find(({ name }) => name === 'contacts');
  const count = contacts ? Math.max(0, contacts.total - contacts.succeeded - contacts.failed - contacts.skipped) : null;
  const sentence = held.attention ?? `The phase ${held.phase ?? ''} holds until somebody decides.`;
  return [
    { kind: 'migration', id: held._id.toHexString(), name: held.provider, since: held.updatedAt, count, sentence },
  ];
}

/** By a threshold, a missed time or a fault, not by a person. */
function ofPaused({ campaign, progress }: CampaignNow): Attention[] {
  const { status, name, pausedAt, pausedReason, updatedAt } = campaign;
  if (status !== 'paused' || pausedReason === null || pausedReason === PAUSED_BY_CALL) return [];
  const sentence = `Paused: ${pausedReason}`;
  return [
    {
      ...{ kind: 'campaign' as const, id: campaign._id.toHexString(), name },
      ...{ since: pausedAt ?? updatedAt, count: progress.pending, sentence },
    },
  ];
}

async function ofFailedCampaigns({ db, clock }: AttentionDeps, projectId: ObjectId): Promise<Attention[]> {
  const since = new Date(clock.now().getTime() - FAILED_MS);
  const failed = await db.campaigns
    .find({ projectId, status: 'failed' }, { hint: 'status' })
    .sort({ _id: -1 })
    .limit(EACH_MAX)
    .toArray();
  return failed
    .filter(({ updatedAt }) => updatedAt >= since)
    .map(({ _id, name, updatedAt, failureReason, counts }) => ({
      ...{ kind: 'campaign' as const, id: _id.toHexString(), name, since: updatedAt, count: counts.pending },
      sentence: `Failed: ${failureReason ?? 'it could not be sent.'}`,
    }));
}

async function ofWebhooks({ db }: AttentionDeps, projectId: ObjectId): Promise<Attention[]> {
  const webhooks = await db.webhooks.find({ projectId }, { hint: 'newest' }).sort({ _id: -1 }).toArray();
  const failing = webhooks.filter(
    ({ failingSince, disabledReason }) => failingSince !== null || disabledReason !== null,
  );
  return Promise.all(failing.slice(0, EACH_MAX).map((webhook) => ofWebhook({ db }, webhook)));
}

async function ofWebhook({ db }: Pick<FiguresDeps, 'db'>, webhook: Webhook): Promise<Attention> {
  const { _id: webhookId, projectId, url, failingSince, disabledReason, updatedAt } = webhook;
  const latest = await db.webhookDeliveries
    .find({ projectId, webhookId }, { projection: { status: 1, dueAt: 1, tries: { $slice: -1 } }, hint: 'newest' })
    .sort({ createdAt: -1, _id: -1 })
    .limit(DELIVERIES_MAX)
    .toArray();
  const waiting = latest.filter(({ status }) => status === 'pending');
  const said = wordsOf(waiting.find(({ tries }) => tries.length > 0)?.tries.at(-1));
  const next = waiting.flatMap(({ dueAt }) => dueAt ?? []).sort((a, b) => a.getTime() - b.getTime())[0];
  const some = `${waiting.length === DELIVERIES_MAX ? `${DELIVERIES_MAX} or more` : waiting.length} deliveries wait`;
  const sentence =
    disabledReason ?? `${some}${said ? `: ${said}` : ''}.${next ? ` Next try at ${next.toISOString()}.` : ''}`;
  return {
    ...{ kind: 'webhook', id: webhookId.toHexString(), name: new URL(url).host },
    ...{ since: failingSince ?? updatedAt, count: waiting.length, sentence },
  };
}

function wordsOf(one: WebhookTry | undefined): string | null {
  if (!one) return null;
  return one.status === null ? one.error : `the receiver answered ${one.status}`;
}

const RECORDS: Record<RecordName, string> = {
  ownership: 'ownership',
  dkim: 'DKIM',
  mailFrom: 'return path',
  dmarc: 'DMARC',
};

/** Records that were found before. */
async function ofDomains({ db }: AttentionDeps, projectId: ObjectId): Promise<Attention[]> {
  const domains = await db.domains.find({ projectId }, { hint: 'domain_name' }).limit(DELIVERIES_MAX).toArray();
  return domains.flatMap(ofDomain).slice(0, EACH_MAX);
}

function ofDomain({ _id, domainName, verificationStatus, lostSince = {}, message }: Domain): Attention[] {
  const lost = (Object.keys(RECORDS) as RecordName[]).filter((name) => lostSince[name]);
  const times = lost.map((name) => lostSince[name]!.getTime());
  if (lost.length === 0) return [];
  const names = lost.map((name) => RECORDS[name]).join(', ');
  const follows =
    verificationStatus === 'VERIFIED'
      ? (message ?? 'Mail is still sent from it.')
      : 'No mail is sent from it until it is verified again.';
  const sentence = `DNS has its ${names} record${lost.length > 1 ? 's' : ''} no more. ${follows}`;
  return [
    {
      ...{ kind: 'domain', id: _id.toHexString(), name: domainName },
      ...{ since: new Date(Math.min(...times)), count: null, sentence },
    },
  ];
}

async function ofReputation(deps: AttentionDeps, projectId: ObjectId): Promise<Attention[]> {
  const state = await readState(deps, projectId);
  const warned = (state?.standings ?? []).filter(({ isWarned, warnedAt }) => isWarned && warnedAt);
  return warned.slice(0, EACH_MAX).map(({ domain, warnedAt }) => ({
    ...{ kind: 'reputation' as const, id: null, name: domain, since: warnedAt!, count: null },
    sentence: 'Bounces or complaints of this sending domain are over a limit of the large mailbox providers.',
  }));
}
