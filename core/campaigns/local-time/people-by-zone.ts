import { setImmediate as turn } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { isTimezone } from '../../base/time/zones.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import type { CampaignLocalTime, Release } from '../model.ts';
import { releaseAt } from './rules.ts';

/** A person of an audience, with what their contact says of their time zone. */
export interface Reached extends BlockRecipient {
  zone?: unknown;
}

type Moment = Pick<Release, 'timezone' | 'isFallback' | 'at'>;

/** Values that people have as their zone: right ones are some hundreds, wrong ones may be any. */
const VALUES_KEPT = 5_000;
/** Finding out that a name is no zone takes long: others have their turn in between. */
const NEW_AT_ONCE = 100;
const BATCH = 2_000;
/** After all others. */
const NEVER = new Date(8.64e15);

interface Zone {
  timezone: string;
  isFallback: boolean;
  /** null: their time is over, and they get nothing. */
  at: Date | null;
  people: PackedPeople;
  /** With those who get nothing. */
  count: number;
}

/**
 * Sorts an audience by the moment at which each person gets the mail, and within one by zone. It is held in memory, in some 40 bytes a
 * person: the numbers of a block follow from how many come before it, which is known when all are read.
 */
export class PeopleByZone {
  readonly #local: CampaignLocalTime;
  readonly #lateBefore: Date;
  readonly #zones = new Map<string, Zone>();
  readonly #byValue = new BoundedMap<unknown, Zone>(VALUES_KEPT);
  readonly #fallback: Zone;

  constructor(local: CampaignLocalTime, lateBefore: Date) {
    this.#local = local;
    this.#lateBefore = lateBefore;
    this.#fallback = this.#newZone(local.fallbackTimezone, true);
    this.#zones.set('', this.#fallback);
  }

  /** Takes them in, and answers those whose time is over and who get nothing. */
  async add(people: Reached[]): Promise<Reached[]> {
    const skipped: Reached[] = [];
    let found = 0;
    for (const person of people) {
      let zone = this.#byValue.get(person.zone);
      if (!zone) {
        found += 1;
        if (found % NEW_AT_ONCE === 0) await turn();
        zone = this.#find(person.zone);
        this.#byValue.set(person.zone, zone);
      }
      zone.count += 1;
      if (zone.at) zone.people.add(person);
      else skipped.push(person);
    }
    return skipped;
  }

  /** In the order of sending; people of a zone as they came. */
  *inOrder(): Generator<Moment & { batches: Iterable<BlockRecipient[]> }> {
    const zones = [...this.#zones.values()].filter(({ people }) => people.count > 0);
    const timed = zones.flatMap(({ at, ...zone }) => (at ? [{ ...zone, at }] : []));
    for (const { timezone, isFallback, at, people } of timed.toSorted(byMoment))
      yield { timezone, isFallback, at, batches: people.batches() };
  }

  /** How many there are, the earliest first, and last those who get nothing. */
  sizes(): Array<{ timezone: string; isFallback: boolean; at: Date | null; total: number }> {
    const zones = [...this.#zones.values()].filter(({ count }) => count > 0);
    return zones
      .toSorted((a, b) => byMoment({ ...a, at: a.at ?? NEVER }, { ...b, at: b.at ?? NEVER }))
      .map(({ timezone, isFallback, at, count: total }) => ({ timezone, isFallback, at, total }));
  }

  #find(value: unknown): Zone {
    if (typeof value !== 'string' || !isTimezone(value)) return this.#fallback;
    const key = value.toLowerCase();
    const zone = this.#zones.get(key) ?? this.#newZone(nameOf(value), false);
    this.#zones.set(key, zone);
    return zone;
  }

  #newZone(timezone: string, isFallback: boolean): Zone {
    const at = releaseAt(this.#local, timezone, this.#lateBefore);
    return { timezone, isFallback, at, people: new PackedPeople(), count: 0 };
  }
}

function byMoment(a: Moment, b: Moment): number {
  return a.at.getTime() - b.at.getTime() || (a.timezone < b.timezone ? -1 : a.timezone > b.timezone ? 1 : 0);
}

/** Names differ in case from person to person. Intl knows the right one, but answers an alias with the name of another zone. */
function nameOf(zone: string): string {
  const known = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  return known.toLowerCase() === zone.toLowerCase() ? known : zone;
}

const ID_BYTES = 12;
const LENGTH_BYTES = 2;
const CHUNK_MIN = 4_096;
const CHUNK_MAX = 262_144;
/** A character is at most three bytes for each unit of a string. */
const BYTES_A_UNIT = 3;

/** Ids and addresses, one behind the other. */
class PackedPeople {
  count = 0;
  #chunks: Buffer[] = [];
  #last = Buffer.alloc(0);
  #used = 0;

  add({ contactId, email }: BlockRecipient): void {
    const most = ID_BYTES + LENGTH_BYTES + email.length * BYTES_A_UNIT;
    if (this.#used + most > this.#last.length) this.#open(most);
    const at = this.#used;
    this.#last.set(contactId.id, at);
    const length = this.#last.write(email, at + ID_BYTES + LENGTH_BYTES);
    this.#last.writeUInt16LE(length, at + ID_BYTES);
    this.#used = at + ID_BYTES + LENGTH_BYTES + length;
    this.count += 1;
  }

  *batches(): Generator<BlockRecipient[]> {
    this.#close();
    let batch: BlockRecipient[] = [];
    for (const chunk of this.#chunks)
      for (let at = 0; at < chunk.length; ) {
        const from = at + ID_BYTES + LENGTH_BYTES;
        const to = from + chunk.readUInt16LE(at + ID_BYTES);
        const contactId = new ObjectId(Uint8Array.prototype.slice.call(chunk, at, at + ID_BYTES));
        batch.push({ contactId, email: chunk.toString('utf8', from, to) });
        at = to;
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
    if (batch.length > 0) yield batch;
  }

  #open(most: number): void {
    const size = Math.max(most, Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, this.#last.length * 2)));
    this.#close();
    this.#last = Buffer.allocUnsafe(size);
  }

  #close(): void {
    if (this.#used > 0) this.#chunks.push(this.#last.subarray(0, this.#used));
    this.#used = 0;
    this.#last = Buffer.alloc(0);
  }
}
