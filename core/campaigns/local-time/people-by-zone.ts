import { setImmediate as turn } from 'node:timers/promises';
import { isTimezone } from '../../base/time/zones.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import type { CampaignLocalTime, Release } from '../model.ts';
import { releaseAt } from './rules.ts';

/** A person of an audience, with what their contact says of their time zone. */
export interface Reached extends BlockRecipient {
  zone?: unknown;
}

/** A zone of an audience, with the moment at which its people get the mail. */
export type Moment = Pick<Release, 'timezone' | 'isFallback' | 'at' | 'isTest'>;

/** Values that people have as their zone: right ones are some hundreds, wrong ones may be any. */
const VALUES_KEPT = 5_000;
/** Finding out that a name is no zone takes long: others have their turn in between. */
const NEW_AT_ONCE = 100;
/** After all others. */
const NEVER = new Date(8.64e15);

export interface Zone extends Omit<Moment, 'at'> {
  /** null: their time is over, and they get nothing. */
  at: Date | null;
  count: number;
  /** Those of the present batch. */
  people: BlockRecipient[];
}

/** Finds the zone of each person of an audience, and counts the people of each. */
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

  /** The people of each zone, in the order in which they come, without the name of their zone. */
  async sort(people: Reached[]): Promise<Array<[Zone, BlockRecipient[]]>> {
    const zones: Zone[] = [];
    let found = 0;
    for (const person of people) {
      const value = person.zone;
      let zone = this.#byValue.get(value);
      if (!zone) {
        found += 1;
        if (found % NEW_AT_ONCE === 0) await turn();
        zone = this.#find(value);
        this.#byValue.set(value, zone);
      }
      if (zone.people.length === 0) zones.push(zone);
      // The object is kept: a second one for each of a million people takes a tenth of the time of the freeze.
      person.zone = undefined;
      zone.people.push(person);
    }
    return zones.map((zone) => [zone, taken(zone)]);
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
    return { timezone, isFallback, at, count: 0, people: [] };
  }
}

function taken(zone: Zone): BlockRecipient[] {
  const { people } = zone;
  zone.people = [];
  zone.count += people.length;
  return people;
}

/** The order of sending; those who fell back to a zone are before those who have it. */
export function byMoment(a: Moment, b: Moment): number {
  const byName = a.timezone < b.timezone ? -1 : Number(a.timezone > b.timezone);
  return a.at.getTime() - b.at.getTime() || byName || Number(b.isFallback) - Number(a.isFallback);
}

/** Names differ in case from person to person. Intl knows the right one, but answers an alias with the name of another zone. */
function nameOf(zone: string): string {
  const known = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  return known.toLowerCase() === zone.toLowerCase() ? known : zone;
}
