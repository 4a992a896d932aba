import { derivedId } from '../../base/ids.ts';
import { insertBlocks } from '../../mail/ledger/blocks/changes.ts';
import { BLOCK_MAX, type Block, type BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import { providerOf } from '../../mail/ledger/counting/mailbox-providers.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { insertFrozenRows } from '../../mail/messages/of-campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Release } from '../model.ts';
import { type Attempt, asOurs, keepWritten } from './attempt.ts';

/** Blocks of one insert, some 20 kB each. */
const BLOCKS_AT_ONCE = 16;
const INSERTS_MAX = 3;
/** How often the progress is stored, in inserts. */
const KEEP_EVERY = 8;
const SUPPRESSED_AT_ONCE = 500;

export interface Written {
  inBlocks: number;
  suppressed: number;
  providers: Providers;
  /** Of a campaign at local time. */
  releases: Release[] | null;
}

/** How many recipients each mailbox provider has. */
export type Providers = Record<string, number>;

/** Cuts people into blocks and numbers them, in the order in which they are added. */
export class AudienceWriter {
  private readonly deps: CampaignsDeps;
  private readonly attempt: Attempt;
  private readonly onProgress: (written: number) => void;
  private people: BlockRecipient[] = [];
  private blocks: Block[] = [];
  private rows: Message[] = [];
  private underWay: Promise<number>[] = [];
  private n = 0;
  private seq = 1;
  private inserts = 0;
  private written = 0;
  private suppressed: number;
  private readonly providers: Providers;
  private releases: Release[] | null = null;

  /** `before`: rows that are there already. */
  constructor(
    deps: CampaignsDeps,
    attempt: Attempt,
    onProgress: (written: number) => void,
    before: Pick<Written, 'suppressed' | 'providers'> = { suppressed: 0, providers: {} },
  ) {
    this.deps = deps;
    this.attempt = attempt;
    this.onProgress = onProgress;
    this.suppressed = before.suppressed;
    this.written = before.suppressed;
    this.providers = { ...before.providers };
  }

  /** People who are added from here on are released then. No block has people of two releases. */
  begin({ timezone, isFallback, at }: Pick<Release, 'timezone' | 'isFallback' | 'at'>): void {
    if (this.people.length > 0) this.cut(0);
    this.people = [];
    this.releases ??= [];
    this.releases.push({ timezone, isFallback, at, fromSeq: this.seq, total: 0 });
  }

  async add(people: BlockRecipient[]): Promise<void> {
    for (const { email } of people) countProvider(this.providers, email);
    this.people = this.people.concat(people);
    let from = 0;
    for (; this.people.length - from >= BLOCK_MAX; from += BLOCK_MAX) this.cut(from);
    this.people = this.people.slice(from);
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
    if (this.people.length > 0) this.cut(0);
    while (this.blocks.length > 0) await this.insert();
    while (this.rows.length > 0) await this.insertRows();
    while (this.underWay.length > 0) await this.acknowledge();
    await keepWritten(this.deps, this.attempt, this.written);
    const releases = this.releases && sized(this.releases, this.seq);
    return { inBlocks: this.seq - 1, suppressed: this.suppressed, providers: this.providers, releases };
  }

  /** Waits for what is being written, whatever becomes of it. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  private cut(from: number): void {
    const recipients = this.people.slice(from, from + BLOCK_MAX);
    const { run, campaign } = this.attempt;
    this.blocks.push({
      _id: derivedId(this.attempt.at, 'block', campaign._id.toHexString(), run.toHexString(), this.n),
      projectId: campaign.projectId,
      campaignId: campaign._id,
      run,
      n: this.n,
      fromSeq: this.seq,
      count: recipients.length,
      first: recipients[0]?.email ?? '',
      last: recipients.at(-1)?.email ?? '',
      recipients,
    });
    this.n += 1;
    this.seq += recipients.length;
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

/** Each ends where the next one begins; those of which everybody was left out are gone. */
function sized(releases: Release[], end: number): Release[] {
  const all = releases.map((one, index) => ({ ...one, total: (releases[index + 1]?.fromSeq ?? end) - one.fromSeq }));
  return all.filter(({ total }) => total > 0);
}

export function countProvider(providers: Providers, email: string): void {
  const provider = providerOf(email);
  providers[provider] = (providers[provider] ?? 0) + 1;
}
