import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import type { StreamedEventType } from '../../../schemas/events/webhooks.ts';
import { oncePerCore } from '../../base/deps.ts';
import type { Project } from '../../base/model.ts';
import type { Campaign } from '../../campaigns/model.ts';
import { type NewEvent, publishEvents } from '../../events/events.ts';
import { changeFiguresLease, figuresUntil } from '../../events/listeners.ts';
import type { FigureReader } from '../../events/model.ts';
import { after } from '../../mail/ledger/ledger.ts';
import { ratesChannel } from '../../mail/ledger/rates/keys.ts';
import type { FiguresDeps } from '../deps.ts';
import { type CampaignNow, campaignNow, endedCampaigns, isAhead, liveProgress, runningCampaigns } from './campaigns.ts';
import { LANES } from './lanes.ts';
import { figuresNow, type Now, summaryData } from './now.ts';

/** At most twice a second, and as often as that when nothing says that mail was sent. */
const EVERY_MS = 500;
const QUIET_MS = 1_500;
/** Another process takes over so long after the one that publishes was killed. */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
/** Of those that open streams name; each is a few numbers more in an event. */
const TIMEZONES_MAX = 24;

export interface FigureWish {
  types: ReadonlySet<StreamedEventType>;
  timezone: string;
}

const FIGURES = ['project.summary', 'campaign.progress'] as const;

/** Publishes the figures that a stream asks for while it is open. */
export function publishFigures(deps: FiguresDeps, project: Project, wish: FigureWish, signal: AbortSignal): void {
  if (signal.aborted || !FIGURES.some((type) => wish.types.has(type))) return;
  const publishers = publishersOf(deps);
  const key = project._id.toHexString();
  const publisher = publishers.get(key) ?? new Publisher(deps, project, () => publishers.delete(key));
  publishers.set(key, publisher);
  publisher.add(wish);
  signal.addEventListener('abort', () => publisher.remove(wish), { once: true });
}

const publishersOf = oncePerCore((_deps: Pick<FiguresDeps, 'state'>, onClose) => {
  const publishers = new Map<string, Publisher>();
  onClose(() => {
    for (const publisher of publishers.values()) publisher.stop();
  });
  return publishers;
});

/**
 * The figures of one project, for all of its streams. Streams of a project may be open in several processes, and one of these publishes.
 *
 * - waiting: another process has the lease; this one notes what its streams ask for, so that it is published too
 * - publishing: it has the lease; figures that have changed are computed and published after each wake-up, and published once
 * - over: the last stream of this process was closed; the lease is given back
 */
class Publisher {
  readonly #deps: FiguresDeps;
  readonly #project: Project;
  readonly #onOver: () => void;
  readonly #process = randomUUID();
  readonly #wishes = new Set<FigureWish>();
  readonly #unsubscribe: () => void;
  readonly #renewing: NodeJS.Timeout;
  #readers: FigureReader[] = [];
  #isPublishing = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  #working: Promise<void> = Promise.resolve();
  /** As they were published last, without their times. */
  #summary = '';
  readonly #progress = new Map<string, string>();

  constructor(deps: FiguresDeps, project: Project, onOver: () => void) {
    this.#deps = deps;
    this.#project = project;
    this.#onOver = onOver;
    this.#unsubscribe = deps.signals.subscribe(ratesChannel(project._id), () => this.#wake(EVERY_MS));
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  add(wish: FigureWish): void {
    this.#wishes.add(wish);
    this.#summary = '';
    this.#progress.clear();
    void this.#renew();
  }

  remove(wish: FigureWish): void {
    this.#wishes.delete(wish);
    if (this.#wishes.size === 0) this.stop();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#renewing);
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#onOver();
    void this.#working.then(() => this.#leave()).catch(() => undefined);
  }

  /** Notes what the streams of this process ask for, and takes the lease when it is free. */
  async #renew(): Promise<void> {
    const isMine = (value: unknown) => ({ $eq: [value, this.#process] });
    const until = after(LEASE_MS);
    const isFree = { $or: [isMine('$figures.by'), { $lte: [{ $ifNull: ['$figures.until', '$$NOW'] }, '$$NOW'] }] };
    const others = {
      $filter: {
        input: { $ifNull: ['$figures.readers', []] },
        cond: { $and: [{ $ne: ['$$this.process', this.#process] }, { $gt: ['$$this.until', '$$NOW'] }] },
      },
    };
    const own = { process: this.#process, types: this.#types(), timezones: this.#timezones(), until };
    const row = await this.#write([
      {
        $set: {
          figures: {
            by: { $cond: [isFree, this.#process, '$figures.by'] },
            until: { $cond: [isFree, until, '$figures.until'] },
            readers: { $concatArrays: [others, [own]] },
          },
        },
      },
    ]);
    // The last stream was closed before the answer, and this may have been written after the lease was given back.
    if (this.#isOver) return this.#leave();
    if (!row?.figures) return;
    this.#readers = row.figures.readers;
    const isFirst = !this.#isPublishing;
    this.#isPublishing = row.figures.by === this.#process;
    if (this.#isPublishing && isFirst) this.#wake(0);
  }

  /** Another process has the lease at its next renewal. */
  async #leave(): Promise<void> {
    const isMine = { $eq: ['$figures.by', this.#process] };
    const others = { $filter: { input: '$figures.readers', cond: { $ne: ['$$this.process', this.#process] } } };
    const until = { $cond: [isMine, '$$NOW', '$figures.until'] };
    await this.#write([{ $set: { 'figures.readers': others, 'figures.until': until } }]);
  }

  async #write(update: Document[]) {
    const { _id } = this.#project;
    try {
      return await changeFiguresLease(this.#deps, _id, update);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the lease of live figures could not be renewed');
      return null;
    }
  }

  #wake(inMs: number): void {
    if (this.#isOver || !this.#isPublishing) return;
    const dueMs = Math.max(performance.now() + inMs, this.#lastMs + EVERY_MS);
    if (dueMs >= this.#dueMs) return;
    this.#dueMs = dueMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), Math.max(0, dueMs - performance.now())).unref();
  }

  #run(): void {
    this.#working = this.#working.then(async () => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      if (this.#isOver || !this.#isPublishing) return;
      // Its time came while the figures before it were published.
      if (performance.now() < this.#lastMs + EVERY_MS) return this.#wake(0);
      await this.#publish().catch((error) => {
        this.#deps.log.warn({ err: error }, 'live figures could not be published');
      });
      this.#lastMs = performance.now();
      this.#wake(QUIET_MS);
    });
  }

  async #publish(): Promise<void> {
    const types = new Set(this.#readers.flatMap((reader) => reader.types));
    const events: NewEvent[] = [];
    const summary = types.has('project.summary') ? await this.#figures() : null;
    if (summary) events.push(...this.#newSummary(summary));
    if (types.has('campaign.progress')) events.push(...(await this.#newProgress(summary?.campaigns ?? null)));
    if (!this.#isOver) await publishEvents(this.#deps, this.#project._id, events);
  }

  #figures(): Promise<Now> {
    const timezones = [...new Set(this.#readers.flatMap((reader) => reader.timezones))].slice(0, TIMEZONES_MAX);
    return figuresNow(this.#deps, this.#project, { timezones, isSummary: true });
  }

  #newSummary(figures: Now): NewEvent[] {
    const { at, ...data } = summaryData(figures);
    // While nothing is sent, later times alone are no news.
    const points = data.rates.points.filter((point) => LANES.some((lane) => point[lane] > 0));
    const shown = JSON.stringify({ ...data, rates: points });
    if (shown === this.#summary) return [];
    this.#summary = shown;
    return [this.#event('project.summary', '', { at, ...data })];
  }

  /** Of campaigns that are under way, paused, or ended lately; of these only if they change, or answers of the interface are behind. */
  async #newProgress(known: CampaignNow[] | null): Promise<NewEvent[]> {
    const running = known ?? (await this.#nowOf(await runningCampaigns(this.#deps, this.#project)));
    const ended = await this.#nowOf(await endedCampaigns(this.#deps, this.#project));
    // A campaign that ends between the two reads is in both.
    const endedIds = new Set(ended.map(({ campaign }) => campaign._id.toHexString()));
    const events = await Promise.all([
      ...running.flatMap((now) =>
        endedIds.has(now.campaign._id.toHexString()) ? [] : this.#progressOf(now, () => true),
      ),
      ...ended.map((now) => this.#progressOf(now, isAhead)),
    ]);
    const ids = new Set([...running, ...ended].map(({ campaign }) => campaign._id.toHexString()));
    for (const id of this.#progress.keys()) if (!ids.has(id)) this.#progress.delete(id);
    return events.flat();
  }

  #nowOf(campaigns: Campaign[]): Promise<CampaignNow[]> {
    return Promise.all(campaigns.map((campaign) => campaignNow(this.#deps, campaign)));
  }

  async #progressOf(now: CampaignNow, isNewsAtFirst: typeof isAhead): Promise<NewEvent[]> {
    const data = await liveProgress(this.#deps, now);
    const { points: _, ...figures } = data;
    const shown = JSON.stringify(figures);
    const before = this.#progress.get(data.campaignId);
    this.#progress.set(data.campaignId, shown);
    const isNews = before === undefined ? isNewsAtFirst(now.campaign, data) : before !== shown;
    return isNews ? [this.#event('campaign.progress', data.campaignId, data)] : [];
  }

  #event(type: 'project.summary' | 'campaign.progress', of: string, data: Record<string, unknown>): NewEvent {
    return { type, key: `${of} ${randomUUID()}`, data, eraseAt: figuresUntil(this.#deps) };
  }

  #types(): string[] {
    return FIGURES.filter((type) => [...this.#wishes].some(({ types }) => types.has(type)));
  }

  #timezones(): string[] {
    return [...new Set([...this.#wishes].map(({ timezone }) => timezone))].slice(0, TIMEZONES_MAX);
  }
}
