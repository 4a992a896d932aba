import { type AnyBulkWriteOperation, ObjectId } from 'mongodb';
import { derivedId } from '../../../base/ids.ts';
import type { Session } from '../../../base/model.ts';
import { isErased } from '../../../mail/messages/clicks.ts';
import type { CountedLink } from '../../../mail/messages/model.ts';
import type { FiguresDeps } from '../../deps.ts';
import type { LinkCounts, LinkSource } from '../model.ts';

/** URLs of links without a number that a source has rows for; further ones are counted together. */
const URLS_MAX = 500;
/** More than the links of one content, since that may change. */
const NUMBERED_MAX = 2_500;
export const ROWS_MAX = 5_000;
const OTHER = { link: null, url: null };
const FIRST_AT = new Date(0);

type Link = Pick<LinkCounts, 'source' | 'step' | 'link' | 'url'>;
type Sums = Pick<LinkCounts, 'clicks' | 'people' | 'humanPeople'>;
type Where = { projectId: ObjectId; count: number; session?: Session };

/** The clicks in one mail: those that are counted, and those that the counts will have. */
interface Change {
  sources: LinkSource[];
  before: readonly CountedLink[];
  after: readonly CountedLink[];
}

/** Gathers changes of clicks into changes of the counts of links. */
export class LinkDocuments {
  readonly #where: Where;
  #changes: Change[] = [];

  constructor(where: Where) {
    this.#where = where;
  }

  add(change: Change): void {
    if (change.sources.length > 0) this.#changes.push(change);
  }

  /** Empties it. */
  async write({ db }: Pick<FiguresDeps, 'db'>): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    const known = await this.#knownLinks({ db }, changes);
    const sums = new Map<string, { link: Link; by: Sums }>();
    for (const { sources, before, after } of changes)
      for (const source of sources) {
        this.#sum(sums, known, source, before, -1);
        this.#sum(sums, known, source, after, 1);
      }
    const writes = [...sums].flatMap(([id, { link, by }]) => (hasChange(by) ? [this.#writeOf(id, link, by)] : []));
    const { session } = this.#where;
    const options = session ? { session } : {};
    if (writes.length > 0) await db.linkCounts.bulkWrite(writes, { ordered: false, ...options });
    await this.#eraseLeft({ db }, sums);
  }

  /** Rows by URL without clicks, because all people who clicked are erased, lose the URL. Their places are not given again. */
  async #eraseLeft(
    { db }: Pick<FiguresDeps, 'db'>,
    sums: ReadonlyMap<string, { link: Link; by: Sums }>,
  ): Promise<void> {
    const { projectId, session } = this.#where;
    const fewer = [...sums].filter(([, { link, by }]) => link.link === null && link.url !== null && by.people < 0);
    if (fewer.length === 0) return;
    const left = { _id: { $in: fewer.map(([id]) => new ObjectId(id)) }, projectId, people: 0 };
    await db.linkCounts.updateMany(left, { $set: { url: '' } }, session ? { session } : {});
  }

  /** A person who clicked several of the links that share a row is one. */
  #sum(
    sums: Map<string, { link: Link; by: Sums }>,
    known: Set<string>,
    source: LinkSource,
    counted: readonly CountedLink[],
    sign: 1 | -1,
  ): void {
    const ofMail = new Map<string, { clicks: number; isPerson: boolean; isHuman: boolean }>();
    for (const one of counted) {
      const link = this.#linkOf(source, one, known);
      const id = this.#idOf(link);
      if (!sums.has(id)) sums.set(id, { link, by: { clicks: 0, people: 0, humanPeople: 0 } });
      const of = ofMail.get(id) ?? { clicks: 0, isPerson: false, isHuman: false };
      const isPerson = of.isPerson || one.link !== undefined || one.url !== undefined;
      ofMail.set(id, { clicks: of.clicks + one.clicks, isPerson, isHuman: of.isHuman || one.isHuman });
    }
    for (const [id, { clicks, isPerson, isHuman }] of ofMail) {
      const { by } = sums.get(id)!;
      by.clicks += sign * clicks;
      by.people += isPerson ? sign : 0;
      by.humanPeople += isHuman ? sign : 0;
    }
  }

  /** The row of a link, or the one of all others. */
  #linkOf(source: LinkSource, counted: CountedLink, known: Set<string>): Link {
    const link = rowOf(source, counted);
    return link && known.has(this.#idOf(link)) ? link : { source: source.source, step: source.step, ...OTHER };
  }

  /** Rows are never taken back, so a link without one never gets one once there are enough. */
  async #knownLinks({ db }: Pick<FiguresDeps, 'db'>, changes: Change[]): Promise<Set<string>> {
    const { projectId, count, session } = this.#where;
    const options = session ? { session } : {};
    const known = new Set<string>();
    for (const wanted of this.#wanted(changes)) {
      const ids = [...wanted.ids].map((id) => new ObjectId(id));
      const found = db.linkCounts.find({ _id: { $in: ids }, projectId }, { ...options, projection: { _id: 1 } });
      for (const { _id } of await found.toArray()) known.add(_id.toHexString());
      const missing = [...wanted.ids].filter((id) => !known.has(id));
      if (missing.length === 0) continue;
      const { source, isByUrl } = wanted;
      const max = isByUrl ? URLS_MAX : NUMBERED_MAX;
      const link = isByUrl ? null : { $gt: 0 };
      const same = { projectId, count, source, link, url: { $type: 'string' as const } };
      const there = await db.linkCounts.countDocuments(same, { ...options, hint: 'source', limit: max });
      for (const id of missing.slice(0, max - there)) known.add(id);
    }
    return known;
  }

  #wanted(changes: Change[]): Wanted[] {
    const wanted = new Map<string, Wanted>();
    for (const { sources, before, after } of changes)
      for (const source of sources)
        for (const counted of [...before, ...after]) {
          const link = rowOf(source, counted);
          if (!link) continue;
          const isByUrl = link.link === null;
          const key = `${source.source} ${isByUrl}`;
          if (!wanted.has(key)) wanted.set(key, { source: source.source, isByUrl, ids: new Set() });
          wanted.get(key)!.ids.add(this.#idOf(link));
        }
    return [...wanted.values()];
  }

  #idOf({ source, step, link, url }: Link): string {
    const { projectId, count } = this.#where;
    const place = `${step ?? ''} ${link ?? (url === null ? 'other' : 'url')}`;
    return derivedId(FIRST_AT, 'link', projectId.toHexString(), count, source, place, url ?? '').toHexString();
  }

  #writeOf(id: string, link: Link, by: Sums): AnyBulkWriteOperation<LinkCounts> {
    const { projectId, count } = this.#where;
    const update = { $setOnInsert: { count, ...link }, $inc: by };
    return { updateOne: { filter: { _id: new ObjectId(id), projectId }, update, upsert: true } };
  }
}

interface Wanted {
  source: string;
  isByUrl: boolean;
  ids: Set<string>;
}

/** As it is written, or by its URL; null where neither is known. */
function rowOf({ source, step, written }: LinkSource, { link, url }: CountedLink): Link | null {
  const as = link === undefined ? url : written[link - 1];
  return as === undefined || isErased(as) ? null : { source, step, link: link ?? null, url: as };
}

function hasChange({ clicks, people, humanPeople }: Sums): boolean {
  return clicks !== 0 || people !== 0 || humanPeople !== 0;
}
