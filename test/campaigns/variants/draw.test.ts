import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Campaign, CampaignVariant } from '../../../core/campaigns/model.ts';
import { drawOf, endsOf } from '../../../core/campaigns/variants/draw.ts';
import { holdOutOf } from '../../../core/campaigns/variants/hold-out.ts';
import { drawnVariant, totalsOf } from '../../../core/campaigns/variants/places.ts';

const CAMPAIGN = new ObjectId('65f0c0ffee65f0c0ffee65f0');

function split(shares: Array<number | null>, people: number, _id = CAMPAIGN): Campaign {
  const variants = shares.map((share, index) => ({ id: 'ABCDE'[index], share })) as CampaignVariant[];
  return { _id, variants, freeze: { frozen: { total: people, inBlocks: people } } } as unknown as Campaign;
}

function counted(campaign: Campaign, people: number): number[] {
  const drawn = drawnVariant(campaign);
  const counts = campaign.variants!.map(() => 0);
  for (let seq = 1; seq <= people; seq += 1) counts[drawn(seq)]! += 1;
  return counts;
}

describe('A draw', () => {
  for (const size of [1, 2, 3, 5, 16, 17, 255, 256, 257, 1_000, 4_097])
    it(`of ${size} has each number once`, () => {
      const draw = drawOf(CAMPAIGN, 'test', size);
      const seen = new Set(Array.from({ length: size }, (_, place) => draw(place)));
      expect(seen.size).to.equal(size);
      expect(Math.min(...seen)).to.equal(0);
      expect(Math.max(...seen)).to.equal(size - 1);
    });

  it('is the same each time, and another one for another campaign and purpose', () => {
    const first = (id: ObjectId, purpose: string) => {
      const draw = drawOf(id, purpose, 1_000);
      return Array.from({ length: 50 }, (_, place) => draw(place)).join();
    };
    expect(first(CAMPAIGN, 'test')).to.equal(first(CAMPAIGN, 'test'));
    expect(first(CAMPAIGN, 'test')).to.not.equal(first(CAMPAIGN, 'variants'));
    expect(first(CAMPAIGN, 'test')).to.not.equal(first(new ObjectId(), 'test'));
  });

  it('mixes neighbours: every tenth of the people has about a tenth of the lowest numbers', () => {
    const size = 20_000;
    const draw = drawOf(CAMPAIGN, 'test', size);
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let place = 0; place < size; place += 1) if (draw(place) < 2_000) tenths[Math.floor(place / 2_000)]! += 1;
    // 200 each, with a standard deviation of 13.
    for (const tenth of tenths) expect(tenth).to.be.within(130, 270);
  });
});

describe('The people of variants', function () {
  this.timeout(60_000);

  for (const [shares, parts] of [
    [
      [50, 50],
      [50_000, 50_000],
    ],
    [
      [33, 33, 34],
      [33_000, 33_000, 34_000],
    ],
    [
      [1, 99],
      [1_000, 99_000],
    ],
    [
      [null, null, null],
      [33_333, 33_334, 33_333],
    ],
    [
      [null, null, null, null, null],
      [20_000, 20_000, 20_000, 20_000, 20_000],
    ],
  ] as const)
    it(`are split exactly by ${shares.map((share) => share ?? 'an equal part').join(', ')}, of 100,000`, () => {
      const campaign = split([...shares], 100_000);
      expect(totalsOf(campaign)).to.deep.equal(parts);
      expect(counted(campaign, 100_000)).to.deep.equal(parts);
    });

  it('differ from their share by less than one person, whatever the size', () => {
    for (const size of [0, 1, 2, 3, 7, 99, 101, 12_345, 99_999])
      for (const shares of [
        [10, 90],
        [7, 13, 80],
        [20, 20, 20, 20, 20],
      ]) {
        const ends = endsOf(shares, size);
        const parts = ends.map((end, index) => end - (ends[index - 1] ?? 0));
        expect(ends.at(-1)).to.equal(size);
        for (const [index, part] of parts.entries())
          expect(Math.abs(part - (size * shares[index]!) / 100)).to.be.lessThan(1);
      }
  });
});

describe('A hold-out', () => {
  it('is about its share, always the same people for a campaign, and others for another one', () => {
    const people = Array.from({ length: 20_000 }, () => new ObjectId());
    const heldBy = (id: ObjectId, share: number) => {
      const isHeldOut = holdOutOf(id, share);
      return people.filter((person) => isHeldOut(person)).map(String);
    };
    const held = heldBy(CAMPAIGN, 10);
    expect(held.length).to.be.within(1_750, 2_250);
    expect(heldBy(CAMPAIGN, 10)).to.deep.equal(held);
    const others = new Set(heldBy(new ObjectId(), 10));
    expect(held.filter((id) => others.has(id)).length).to.be.within(100, 320);
    expect(heldBy(CAMPAIGN, 0)).to.deep.equal([]);
  });
});
