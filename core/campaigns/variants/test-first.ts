import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import type { Moment } from '../local-time/people-by-zone.ts';
import type { Campaign } from '../model.ts';
import { drawOf } from './draw.ts';
import { PackedPeople } from './packed-people.ts';

/** The size of a test: its share, and one person for each variant at least. */
function sizeOfTest({ test, variants }: Pick<Campaign, 'test' | 'variants'>, people: number): number {
  const share = Math.round((people * (test?.share ?? 0)) / 100);
  return Math.min(people, Math.max(share, variants?.length ?? 0));
}

/** The audience of a campaign with a test, held until its size is known: then the people of the test are drawn. */
export class HeldPeople {
  readonly #campaign: Campaign;
  readonly #at: Date;
  readonly #zones = new Map<Moment, PackedPeople>();

  /** `at`: when the test is released. */
  constructor(campaign: Campaign, at: Date) {
    this.#campaign = campaign;
    this.#at = at;
  }

  /** `zone`: the same object each time. */
  add(people: readonly BlockRecipient[], zone: Moment): void {
    const packed = this.#zones.get(zone) ?? new PackedPeople();
    this.#zones.set(zone, packed);
    for (const person of people) packed.add(person);
  }

  /** The people of the test and then all others, by zone and in the order in which they came. */
  *testFirst(): Generator<{ people: BlockRecipient[]; release: Moment }> {
    const all = [...this.#zones.values()].reduce((sum, { count }) => sum + count, 0);
    const size = sizeOfTest(this.#campaign, all);
    const draw = drawOf(this.#campaign._id, 'test', all);
    for (const isTest of [true, false]) {
      let from = 0;
      for (const [zone, packed] of this.#zones) {
        const { timezone, isFallback } = zone;
        const release = isTest ? { timezone, isFallback, at: this.#at, isTest } : zone;
        for (const people of packed.batches()) {
          const place = from;
          from += people.length;
          const some = people.filter((_, offset) => draw(place + offset) < size === isTest);
          if (some.length > 0) yield { people: some, release };
        }
      }
    }
  }
}
