import { derivedId } from '../../base/ids.ts';
import { insertBlocks, moveBlocks } from '../../mail/ledger/blocks/changes.ts';
import { BLOCK_MAX, type Block, type BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import { providerOf } from '../../mail/ledger/counting/mailbox-providers.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { insertFrozenRows } from '../../mail/messages/of-campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import { byMoment, type Moment } from '../local-time/people-by-zone.ts';
import type { Release } from '../model.ts';
import { type Attempt, asOurs, keepWritten } from './attempt.ts';

/** Blocks of one insert, some 20 kB each. */
const BLOCKS_AT_ONCE = 16;
const INSERTS_MAX = 3;
/** How often the progress is stored, in inserts. */
const KEEP_EVERY = 8;
const SUPPRESSED_AT_ONCE = 500;
/** More than the people of a release: how far apart the places are below 1 in which the blocks of two releases wait for the last of them. */
const APART = 1e9;

export interface Written {
  inBlocks: number;
  suppressed: number;
  providers: Providers;
  /** Of a campaign at local time, or with a test. */
  releases: Release[] | null;
  /** People who get nothing, and are in none of these numbers. */
  holdOut: number;
}

/** How many recipients each mailbox provider has. */
export type Providers = Record<string, number>;

/** People who are sent to one behind the other, and in no block with others. */
interface Part {
  /** null: the whole audience. */
  release: Moment | null;
  /** The `seq` before its first. */
  before: number;
  /** In blocks. */
  size: number;
  /** In no block yet. */
  people: BlockRecipient[];
}

/**
 * Cuts people into blocks and numbers them in the order in which they are added; those at local time release by release. Where a release
 * begins follows from all that are before it, so its blocks wait in places below 1, and move to their own at the end.
 */
export class AudienceWriter {
  private readonly deps: CampaignsDeps;
  private readonly attempt: Attempt;
  private readonly onProgress: (written: number) => void;
  private readonly parts = new Map<Moment | null, Part>();
  private blocks: Block[] = [];
  private rows: Message[] = [];
  private underWay: Promise<number>[] = [];
  private n = 0;
  private inserts = 0;
  private written = 0;
  private suppressed: number;
  private readonly providers: Providers;
  private holdOut: number;

  /** `before`: rows that are there already. */
  constructor(
    deps: CampaignsDeps,
    attempt: Attempt,
    onProgress: (written: number) => void,
    before: Pick<Written, 'suppressed' | 'providers' | 'holdOut'> = { suppressed: 0, providers: {}, holdOut: 0 },
  ) {
    this.deps = deps;
    this.attempt = attempt;
    this.onProgress = onProgress;
    this.suppressed = before.suppressed;
    this.written = before.suppressed;
    this.providers = { ...before.providers };
    this.holdOut = before.holdOut;
  }

  /** Leaves people out of the campaign, and counts them. */
  without<Person>(people: Person[], isHeldOut: (person: Person) => boolean): Person[] {
    const stay = people.filter((person) => !isHeldOut(person));
    this.holdOut += people.length - stay.length;
    return stay;
  }

  /** `release`: the same object each time; null in a campaign that has none. */
  async add(people: BlockRecipient[], release: Moment | null = null): Promise<void> {
    for (const { email } of people) countProvider(this.providers, email);
    const part = this.partOf(release);
    part.people.push(...people);
    let from = 0;
    for (; part.people.length - from >= BLOCK_MAX; from += BLOCK_MAX) this.cut(part, from);
    if (from > 0) part.people = part.people.slice(from);
    while (this.blocks.length >= BLOCKS_AT_ONCE) await this.insert();
  }

  /** Their rows are written at once, with a `seq` that no recipient of a block has. */
  async suppress(rows: Message[]): Promise<void> {
    for (const row of rows) {
      this.suppressed += 1;
      countProvider(this.providers, row.email);
      this.rows.push({ ...row, seq: -this.suppressed });
    }
    while (this.rows.length >= SUPPRESSED_AT_ONCE) await this.insertRows();
  }

  async end(): Promise<Written> {
    for (const part of this.parts.values()) if (part.people.length > 0) this.cut(part, 0);
    while (this.blocks.length > 0) await this.insert();
    while (this.rows.length > 0) await this.insertRows();
    while (this.underWay.length > 0) await this.acknowledge();
    const inBlocks = [...this.parts.values()].reduce((sum, { size }) => sum + size, 0);
    const releases = this.parts.has(null) ? null : await this.moved();
    await keepWritten(this.deps, this.attempt, this.written);
    const { suppressed, providers, holdOut } = this;
    return { inBlocks, suppressed, providers, releases, holdOut };
  }

  /** Waits for what is being written, whatever becomes of it. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  private partOf(release: Moment | null): Part {
    let part = this.parts.get(release);
    if (part) return part;
    const before = release ? -APART * (this.parts.size + 1) : 0;
    part = { release, before, size: 0, people: [] };
    this.parts.set(release, part);
    return part;
  }

  private cut(part: Part, from: number): void {
    const recipients = part.people.slice(from, from + BLOCK_MAX);
    const { run, campaign } = this.attempt;
    this.blocks.push({
      _id: derivedId(this.attempt.at, 'block', campaign._id.toHexString(), run.toHexString(), this.n),
      projectId: campaign.projectId,
      campaignId: campaign._id,
      run,
      n: this.n,
      fromSeq: part.before + part.size + 1,
      count: recipients.length,
      first: recipients[0]?.email ?? '',
      last: recipients.at(-1)?.email ?? '',
      recipients,
    });
    this.n += 1;
    part.size += recipients.length;
  }

  /** The releases in their order, with their blocks in their places. */
  private async moved(): Promise<Release[]> {
    const releases: Release[] = [];
    const moves: Parameters<typeof moveBlocks>[2] = [];
    let fromSeq = 1;
    for (const { release, before, size } of [...this.parts.values()].toSorted(byRelease)) {
      if (!release || size === 0) continue;
      const { timezone, isFallback, at, isTest } = release;
      releases.push({ timezone, isFallback, at, fromSeq, total: size, ...(isTest ? { isTest } : {}) });
      moves.push({ fromSeq: before + 1, toSeq: before + size, by: fromSeq - 1 - before });
      fromSeq += size;
    }
    const { campaign, run } = this.attempt;
    await moveBlocks(this.deps, { projectId: campaign.projectId, campaignId: campaign._id, run }, moves);
    return releases;
  }

  private async insert(): Promise<void> {
    const blocks = this.blocks.splice(0, BLOCKS_AT_ONCE);
    const people = blocks.reduce((sum, { count }) => sum + count, 0);
    const insert = insertBlocks(this.deps, blocks).then(() => people);
    insert.catch(() => {});
    this.underWay.push(insert);
    if (this.underWay.length >= INSERTS_MAX) await this.acknowledge();
  }

  private async acknowledge(): Promise<void> {
    this.tell((await this.underWay.shift()) ?? 0);
    this.inserts += 1;
    if (this.inserts % KEEP_EVERY === 0) await keepWritten(this.deps, this.attempt, this.written);
  }

  private async insertRows(): Promise<void> {
    const rows = this.rows.splice(0, SUPPRESSED_AT_ONCE);
    await asOurs(this.deps, this.attempt, { written: this.written + rows.length }, (session) =>
      insertFrozenRows(this.deps, rows, session),
    );
    this.tell(rows.length);
  }

  private tell(more: number): void {
    this.written += more;
    this.onProgress(this.written);
  }
}

function byRelease({ release: a }: Part, { release: b }: Part): number {
  return a && b ? Number(b.isTest ?? false) - Number(a.isTest ?? false) || byMoment(a, b) : 0;
}

export function countProvider(providers: Providers, email: string): void {
  const provider = providerOf(email);
  providers[provider] = (providers[provider] ?? 0) + 1;
}
