import type { ObjectId } from 'mongodb';
import { compiledCampaign, type SignedCampaign } from './campaign-compiled.ts';
import { describeCampaign, readCampaign } from './campaign-runs.ts';
import { watchThresholds } from './campaign-thresholds.ts';
import { CLAIM_MAX } from './ledger.ts';
import { claimMessages, dotGuard, type Held, type Verdict } from './ledger-claims.ts';
import { orphanStates, settleOrphans } from './ledger-orphans.ts';
import { type Ended, lookAfterClaim, UNWRITTEN_MAX } from './ledger-outcomes.ts';
import type { Connection } from './mailer.ts';
import type { Campaign, Contact, Message } from './model.ts';
import { judgeDelivery } from './rules/deliveries.ts';
import { stoppedBy } from './rules/suppression.ts';
import type { Sending } from './sending.ts';
import { suppressionsAgainst } from './suppressions.ts';

export interface CampaignPage {
  projectId: string;
  campaignId: string;
  fromSeq: number;
  toSeq: number;
}

export interface PageResult {
  /** false: somebody decided something, or the relay does not answer: no further page is begun. */
  goOn: boolean;
  /** How long the relay is left alone. */
  waitMs: number;
  details: string;
}

export interface PageControl {
  signal: AbortSignal;
  onProgress(ended: number): void;
}

const READ = 1_000;
const PAUSE_MS = 20;
/** Renderings that fail are the recipient's; the campaign goes on. */
const NO_CONTACT: Verdict = { kind: 'failed', reason: 'The contact was deleted.' };

type Candidate = Pick<Message, '_id' | 'email' | 'contactId' | 'firstAt' | 'deferrals' | 'state' | 'seq'>;

interface Claimed {
  candidate: Candidate;
  held: Held;
  at: Date;
  contact: Contact | null;
}

/**
 * Sends what is queued in a range of places, and what is deferred there and due. May run any number of times, also beside
 * itself: each message is claimed, and only the claim's owner hands it over.
 */
export async function sendPage(
  sending: Sending,
  page: CampaignPage,
  { signal, onProgress }: PageControl,
): Promise<PageResult> {
  const { deps } = sending;
  const campaign = await readCampaign(deps, page);
  if (!campaign || !isSending(campaign))
    return { goOn: false, waitMs: 0, details: campaign ? await describeCampaign(deps, campaign) : '' };
  const compiled = await compiledCampaign(deps, campaign);
  await settlePageOrphans(sending, campaign, compiled, page);
  const run = new PageRun(sending, campaign, compiled, page, signal, onProgress);
  await run.send();
  const goOn = run.goOn && !signal.aborted;
  return {
    goOn,
    waitMs: run.waitMs,
    details: await describeCampaign(deps, (await readCampaign(deps, page)) ?? campaign),
  };
}

/** What a process that died held comes back here, or becomes unknown. */
async function settlePageOrphans(
  { deps, ledger }: Sending,
  { _id, projectId }: Campaign,
  compiled: SignedCampaign,
  { fromSeq, toSeq }: CampaignPage,
): Promise<void> {
  const lost = await deps.db.messages
    .find(
      {
        campaignId: _id,
        projectId,
        state: { $in: [...orphanStates] },
        seq: { $gte: fromSeq, $lte: toSeq },
        dueAt: { $exists: true },
      },
      { projection: { _id: 1 }, hint: 'campaign' },
    )
    .toArray();
  if (lost.length === 0) return;
  const messageIdOf = async (messageId: ObjectId) => compiled.messageIdOf(messageId);
  await settleOrphans(deps, ledger, { projectId, ids: lost.map((message) => message._id), messageIdOf });
}

function isSending({ status }: Pick<Campaign, 'status'>): boolean {
  return status === 'sending' || status === 'sending_gradual';
}

/** One run over a page: readers and claims on one side, connections on the other. */
class PageRun {
  goOn = true;
  waitMs = 0;
  private readonly sending: Sending;
  private readonly campaign: Campaign;
  private readonly compiled: SignedCampaign;
  private readonly page: CampaignPage;
  private readonly signal: AbortSignal;
  private readonly onProgress: (ended: number) => void;
  private candidates: Candidate[] = [];
  private contacts = new Map<string, Contact>();
  private ready: Claimed[] = [];
  private nextSeq: number;
  private isRead = false;
  private filling: Promise<void> | null = null;
  private ended = 0;
  private written: Promise<void>[] = [];
  private allowance: { from: number; used: number };
  private readonly thresholds: ReturnType<typeof watchThresholds>;

  constructor(
    sending: Sending,
    campaign: Campaign,
    compiled: SignedCampaign,
    page: CampaignPage,
    signal: AbortSignal,
    onProgress: (ended: number) => void,
  ) {
    this.sending = sending;
    this.campaign = campaign;
    this.compiled = compiled;
    this.page = page;
    this.signal = signal;
    this.onProgress = onProgress;
    this.nextSeq = page.fromSeq;
    this.allowance = { from: performance.now(), used: 0 };
    this.thresholds = watchThresholds(sending.deps, campaign);
  }

  async send(): Promise<void> {
    const lanes = Math.max(1, Math.min(CLAIM_MAX / 2, this.sending.deps.mailer.free('campaign')));
    await Promise.all(Array.from({ length: lanes }, () => this.lane()));
    await this.giveBack();
    await Promise.all(this.written);
    await this.thresholds.check();
  }

  /** One connection after the other, as long as there is something to send. */
  private async lane(): Promise<void> {
    for (let item = await this.next(); item; ) {
      const acquired = await this.sending.deps.mailer.acquire('campaign');
      const { connection } = acquired;
      if (!connection) {
        // The relay's state, not the recipients': what is claimed goes back, and no attempt is counted.
        this.end({ held: item.held, outcome: { kind: 'back', delayMs: 0 } });
        this.stopFor(acquired.retryMs);
        return;
      }
      try {
        let works = true;
        while (item && works) {
          works = await this.deliver(connection, item);
          item = works ? await this.next() : null;
        }
      } finally {
        connection.release();
      }
      item ??= await this.next();
    }
  }

  /** false: the connection cannot be used any more. */
  private async deliver(connection: Connection, { candidate, held, at, contact }: Claimed): Promise<boolean> {
    const { deps, ledger } = this.sending;
    if (held.stopped) {
      this.end({ held, outcome: held.stopped });
      return true;
    }
    let message: string;
    try {
      const text = this.compiled.compose({ messageId: candidate._id, email: candidate.email, contact, at });
      message = (await this.compiled.sign(text, at)) + text;
    } catch (error) {
      this.end({
        held,
        outcome: {
          kind: 'failed',
          reason: `It does not render: ${error instanceof Error ? error.message : ''}`.slice(0, 500),
        },
      });
      return true;
    }
    const envelope = { from: this.compiled.returnPath(candidate._id), to: [candidate.email] };
    const delivery = await connection.send(envelope, message, dotGuard(ledger, held));
    const { outcome, bounces } = judgeDelivery({
      lane: 'campaign',
      delivery,
      addresses: envelope.to,
      deferrals: candidate.deferrals ?? 0,
      elapsedMs: deps.clock.now().getTime() - at.getTime(),
      jitter: Math.random(),
      hasEvidence: deps.evidence.isKnown,
    });
    this.end({ held, outcome: held.stopped && delivery.kind === 'fenced' ? held.stopped : outcome, bounces });
    if (delivery.kind === 'relay') this.stopFor(PAUSE_MS);
    return delivery.kind === 'answered';
  }

  private end(ended: Ended): void {
    this.ended += 1;
    this.thresholds.count(ended.outcome.kind);
    this.onProgress(this.ended);
    const write = this.sending.outcomes.write(ended);
    this.written.push(write);
    if (this.written.length > UNWRITTEN_MAX) this.written.splice(0, this.written.length - UNWRITTEN_MAX);
  }

  private stopFor(ms: number): void {
    this.goOn = false;
    this.waitMs = Math.max(this.waitMs, ms);
  }

  private get mayClaim(): boolean {
    return this.goOn && !this.signal.aborted && !this.sending.ledger.stopping;
  }

  private async next(): Promise<Claimed | null> {
    for (;;) {
      const item = this.ready.shift();
      if (item) {
        if (this.ready.length < CLAIM_MAX / 4) void this.fill().catch(() => {});
        return item;
      }
      if (!this.mayClaim || (this.isRead && this.candidates.length === 0 && !this.filling)) return null;
      await this.fill();
    }
  }

  /** Joins the fill that is under way: one claim at a time for the page. */
  private fill(): Promise<void> {
    this.filling ??= this.claimMore().finally(() => {
      this.filling = null;
    });
    return this.filling;
  }

  private async claimMore(): Promise<void> {
    if (!this.mayClaim) return;
    const { deps, ledger, outcomes } = this.sending;
    if (outcomes.unwritten() > UNWRITTEN_MAX) return sleep(PAUSE_MS);
    if (this.thresholds.isBreached()) {
      this.goOn = false;
      return;
    }
    if (this.candidates.length === 0) await this.read();
    const count = Math.min(CLAIM_MAX - this.ready.length, this.rateAllows());
    if (count === 0) return sleep(PAUSE_MS);
    const batch = this.candidates.splice(0, count);
    if (batch.length === 0) return;
    const { projectId } = this.campaign;
    const claim = await claimMessages(deps, ledger, { projectId, ids: batch.map(({ _id }) => _id), due: false });
    const mayGo = await lookAfterClaim(claim.held, (ids) => this.look(batch, ids), outcomes);
    const byId = new Map(batch.map((candidate) => [candidate._id.toHexString(), candidate]));
    for (const held of mayGo) {
      const candidate = byId.get(held._id.toHexString()) as Candidate;
      const contact = this.contacts.get(candidate.contactId?.toHexString() ?? '') ?? null;
      if (this.compiled.needsContacts && !contact) this.end({ held, outcome: NO_CONTACT });
      else this.ready.push({ candidate, held, at: candidate.firstAt ?? claim.firstAt, contact });
    }
  }

  /** Status and suppressions as they are after the claim, on the primary, side by side. */
  private async look(batch: Candidate[], ids: ObjectId[]): Promise<Map<string, Verdict>> {
    const { deps } = this.sending;
    const { _id, projectId, unsubscribeGroupId } = this.campaign;
    const wanted = new Set(ids.map((id) => id.toHexString()));
    const asked = batch.filter((candidate) => wanted.has(candidate._id.toHexString()));
    const [now, entries] = await Promise.all([
      deps.db.campaigns.findOne(
        { _id, projectId },
        { projection: { status: 1, sendRatePerSecond: 1 }, readPreference: 'primary' },
      ),
      suppressionsAgainst(
        deps,
        projectId,
        asked.map(({ email }) => email),
      ),
    ]);
    this.campaign.sendRatePerSecond = now?.sendRatePerSecond ?? null;
    const mayGo = now !== null && isSending(now);
    if (!mayGo) this.goOn = false;
    const mail = { marketing: true, groupId: unsubscribeGroupId, bypass: false };
    const verdicts = new Map<string, Verdict>();
    for (const { _id: id, email } of asked) {
      const hit = stoppedBy(entries.get(email) ?? [], mail);
      if (!mayGo) verdicts.set(id.toHexString(), { kind: 'back', delayMs: 0 });
      else if (hit)
        verdicts.set(id.toHexString(), { kind: 'suppressed', by: { groupId: hit.groupId, reason: hit.reason } });
    }
    return verdicts;
  }

  /** The next thousand of the page, with their contacts where the templates name them. */
  private async read(): Promise<void> {
    if (this.isRead) return;
    const { db } = this.sending.deps;
    const { _id, projectId } = this.campaign;
    const projection = { email: 1, contactId: 1, firstAt: 1, deferrals: 1, state: 1, seq: 1 };
    const found = await db.messages
      .find(
        { campaignId: _id, projectId, state: 'queued', seq: { $gte: this.nextSeq, $lte: this.page.toSeq } },
        { projection, hint: 'campaign' },
      )
      .sort({ seq: 1 })
      .limit(READ)
      .toArray();
    const deferred = this.nextSeq === this.page.fromSeq ? await this.readDeferred(projection) : [];
    if (found.length < READ) this.isRead = true;
    else this.nextSeq = (found.at(-1)?.seq ?? this.nextSeq) + 1;
    this.candidates = [...deferred, ...found];
    if (this.compiled.needsContacts) await this.readContacts();
  }

  private async readDeferred(projection: object): Promise<Candidate[]> {
    const { _id, projectId } = this.campaign;
    return this.sending.deps.db.messages
      .find(
        {
          campaignId: _id,
          projectId,
          state: 'deferred',
          seq: { $gte: this.page.fromSeq, $lte: this.page.toSeq },
          $expr: { $lte: ['$dueAt', '$$NOW'] },
        },
        { projection, hint: 'campaign' },
      )
      .toArray();
  }

  private async readContacts(): Promise<void> {
    const ids = this.candidates.flatMap(({ contactId }) => contactId ?? []);
    const projection = { listIds: 0, segmentIds: 0 };
    const found = await this.sending.deps.db.contacts
      .find({ _id: { $in: ids }, projectId: this.campaign.projectId }, { projection })
      .toArray();
    this.contacts = new Map(
      [...this.contacts, ...found.map((contact) => [contact._id.toHexString(), contact as Contact] as const)].slice(
        -2 * READ,
      ),
    );
  }

  /** How many more may be claimed now. A limit holds over the time since this page began. */
  private rateAllows(): number {
    const { sendRatePerSecond } = this.campaign;
    if (sendRatePerSecond === null) return CLAIM_MAX;
    const seconds = (performance.now() - this.allowance.from) / 1_000;
    const left = Math.floor(seconds * sendRatePerSecond) + 1 - this.allowance.used;
    const count = Math.max(0, Math.min(CLAIM_MAX, left));
    this.allowance.used += count;
    return count;
  }

  /** What was claimed and not handed over is free again. */
  private async giveBack(): Promise<void> {
    await this.filling?.catch(() => {});
    for (const { held } of this.ready.splice(0))
      this.end({ held, outcome: held.stopped ?? { kind: 'back', delayMs: 0 } });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
