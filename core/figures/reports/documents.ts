import { type AnyBulkWriteOperation, Binary, ObjectId } from 'mongodb';
import { derivedId } from '../../base/ids.ts';
import type { Session } from '../../base/model.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import type { Cell } from '../../mail/ledger/counting/tally.ts';
import type { FiguresDeps } from '../deps.ts';
import type { ReportCounts } from './model.ts';
import {
  domainPart,
  isCampaign,
  OTHER_TAGS_PART,
  PROJECT,
  providerPart,
  replyPart,
  sourceProviderPart,
  tagPart,
} from './parts.ts';
import { DayCounts } from './rules/day-counts.ts';

export interface Origin {
  source: string;
  /** The sending domain; null where it is not known. */
  domain: string | null;
  /** "name:value" of each. */
  tags: string[];
}

interface Change extends Pick<ReportCounts, 'part' | 'day' | 'domain' | 'tags' | 'tag' | 'text'> {
  counts: DayCounts;
}

/** `like`: another count, whose tags of a day are those of this one too. */
type Where = { projectId: ObjectId; count: number; like?: number; session?: Session };

/** Tags that a project has counted on their own, a UTC day. */
const TAGS_MAX = 1_000;

/** Gathers cells into changes of the documents of one count of a project. */
export class Documents {
  readonly #where: Where;
  #changes = new Map<string, Change>();

  constructor(where: Where) {
    this.#where = where;
  }

  get size(): number {
    return this.#changes.size;
  }

  add({ source, domain, tags }: Origin, { at, provider, counts, replies = [] }: Cell): void {
    const ofSource = this.#changeOf(source, at);
    if (domain) ofSource.domain = domain;
    if (tags.length > 0 && isCampaign(source)) ofSource.tags = tags;
    const changes = [this.#changeOf(PROJECT, at), ofSource, this.#changeOf(providerPart(provider), at)];
    if (domain) changes.push(this.#changeOf(domainPart(domain), at));
    const ofBoth = sourceProviderPart(source, provider);
    if (ofBoth) changes.push(this.#changeOf(ofBoth, at));
    for (const tag of tags) {
      const ofTag = this.#changeOf(tagPart(tag), at);
      ofTag.tag = tag;
      changes.push(ofTag);
    }
    for (const [did, by] of Object.entries(counts) as Array<[keyof typeof counts, number]>)
      for (const change of changes) change.counts.add(at, did, by);
    for (const { reply, count, text } of replies) {
      const change = this.#changeOf(replyPart(provider, reply), at);
      change.counts.add(at, 'deferred', count);
      if (text) change.text = text;
    }
  }

  /**
   * Empties it. Documents are read and written whole, so only one writer of a count may run at a time: a transaction that counts has taken
   * the turn of the project, and a recount has a number of its own.
   */
  async write({ db }: Pick<FiguresDeps, 'db'>): Promise<void> {
    await this.#joinFurtherTags({ db });
    const changes = this.#changes;
    this.#changes = new Map();
    if (changes.size === 0) return;
    const { projectId, session } = this.#where;
    const options = session ? { session } : {};
    const byId = new Map([...changes.values()].map((change) => [this.#idOf(change), change]));
    const ids = [...byId.keys()].map((id) => new ObjectId(id));
    const stored = db.reportCounts.find({ _id: { $in: ids }, projectId }, { ...options, projection: { quarters: 1 } });
    for await (const { _id, quarters } of stored) byId.get(_id.toHexString())!.counts.addStored(quarters.value());
    const writes = [...byId].map(([id, change]) => this.#writeOf(id, change));
    await db.reportCounts.bulkWrite(writes, { ...options, ordered: false });
  }

  /** Documents of tags are never taken back, so a tag without one never gets one on a day that has enough. */
  async #joinFurtherTags({ db }: Pick<FiguresDeps, 'db'>): Promise<void> {
    const tagged = [...this.#changes].filter(([, { tag }]) => tag !== undefined);
    for (const ofDay of Map.groupBy(tagged, ([, { day }]) => day.getTime()).values()) {
      const { day } = ofDay[0]![1];
      const known = await this.#tagsOf({ db }, day);
      for (const [key, { tag, counts }] of ofDay) {
        if (known.size < TAGS_MAX) known.add(tag!);
        if (known.has(tag!)) continue;
        this.#changes.delete(key);
        this.#changeOf(OTHER_TAGS_PART, day).counts.addAll(counts);
      }
    }
  }

  /** Without a hint, so that mail is counted before an upgraded installation has the index. */
  async #tagsOf({ db }: Pick<FiguresDeps, 'db'>, day: Date): Promise<Set<string>> {
    const { projectId, count, like = count, session } = this.#where;
    const own = { projectId, count: { $in: [count, like] }, day, tag: { $exists: true } };
    const options = session ? { session } : {};
    const found = await db.reportCounts.find(own, { projection: { _id: 0, tag: 1 }, ...options }).toArray();
    return new Set(found.map(({ tag }) => tag!));
  }

  #writeOf(id: string, { counts, part, day, ...rest }: Change): AnyBulkWriteOperation<ReportCounts> {
    const { projectId, count } = this.#where;
    const update = { $set: { quarters: new Binary(counts.toBytes()), ...rest }, $setOnInsert: { count, part, day } };
    return { updateOne: { filter: { _id: new ObjectId(id), projectId }, update, upsert: true } };
  }

  #changeOf(part: string, at: Date): Change {
    const day = new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
    const key = `${part} ${day.getTime()}`;
    const known = this.#changes.get(key);
    if (known) return known;
    const change: Change = { part, day, counts: new DayCounts() };
    this.#changes.set(key, change);
    return change;
  }

  #idOf({ part, day }: Change): string {
    const { projectId, count } = this.#where;
    return derivedId(day, 'report', projectId.toHexString(), count, part, day.getTime()).toHexString();
  }
}
