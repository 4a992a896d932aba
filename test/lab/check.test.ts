import { expect } from 'chai';
import { type Allowed, broken, check, type Facts, type Row, tell } from '../../lab/rig/facts/check.ts';

/** A tally that is in order: two sent, one unknown that the relay has, one deferred, one refused, and a campaign that adds up. */
function inOrder(): { sink: Map<string, number>; rows: Row[]; acknowledged: string[]; campaigns: Facts['campaigns'] } {
  const row = (id: string, state: Row['state'], isDueLater = false): Row => ({
    ...{ id, state, isDueLater },
    messageId: `<${id}@in.test>`,
  });
  return {
    sink: new Map(['a', 'b', 'u'].map((id) => [`<${id}@in.test>`, 1])),
    rows: [row('a', 'sent'), row('b', 'sent'), row('u', 'unknown'), row('d', 'deferred', true), row('f', 'failed')],
    acknowledged: ['a', 'b', 'u'],
    campaigns: [
      {
        ...{ id: 'c', frozen: 5, counts: { total: 5, suppressed: 1, failed: 1, sent: 1, unknown: 1, pending: 1 } },
        blocks: { openClaims: 0, claimedTwice: 0, unclaimed: 0, rowless: 0 },
      },
    ],
  };
}

const allowed: Allowed = { unknown: 1, deferred: 1, refused: 1 };

/** The rules that a doctored tally breaks. */
function faultsAfter(doctor: (facts: ReturnType<typeof inOrder>) => void, more: Allowed = {}): string[] {
  const facts = inOrder();
  doctor(facts);
  return broken(check(facts), { ...allowed, ...more });
}

describe('The check of a drill', () => {
  it('finds nothing in a tally that is in order', () => {
    expect(faultsAfter(() => {})).to.deep.equal([]);
    expect(tell(check(inOrder()))).to.equal(
      'lost 0, duplicates 0, unknown 1 (listed; 1 of them with the relay), deferred 1, refused 1',
    );
  });

  it('finds a request that was acknowledged and has no row', () => {
    expect(faultsAfter(({ acknowledged }) => acknowledged.push('x'))).to.deep.equal(['forgotten 1']);
  });

  it('finds a mail that is sent by the ledger and not with the relay', () => {
    expect(faultsAfter(({ sink }) => sink.delete('<a@in.test>'))).to.deep.equal(['lost 1']);
  });

  it('finds a mail without an outcome', () => {
    for (const state of ['queued', 'committing'] as const)
      expect(faultsAfter(({ rows }) => rows.push({ ...rows[0]!, id: 'q', messageId: '<q>', state }))).to.deep.equal([
        'open 1',
      ]);
    expect(
      faultsAfter(({ rows }) => {
        rows[3]!.isDueLater = false;
      }),
    ).to.deep.equal(['open 1']);
  });

  it('finds a mail that was never taken when its time had come, and one that was cancelled and sent', () => {
    const scheduled = { id: 's', messageId: '<s>', state: 'scheduled' as const };
    expect(faultsAfter(({ rows }) => rows.push({ ...scheduled, isDueLater: true }))).to.deep.equal([]);
    expect(faultsAfter(({ rows }) => rows.push({ ...scheduled, isDueLater: false }))).to.deep.equal(['open 1']);
    expect(
      faultsAfter(({ rows }) => {
        rows[0]!.state = 'cancelled';
      }),
    ).to.deep.equal(['denied 1']);
  });

  it('finds a mail at the relay that has no row', () => {
    expect(faultsAfter(({ sink }) => sink.set('<x@in.test>', 1))).to.deep.equal(['strangers 1']);
  });

  it('finds a mail at the relay that was not sent by its row', () => {
    for (const id of ['d', 'f'])
      expect(faultsAfter(({ sink }) => sink.set(`<${id}@in.test>`, 1))).to.include('denied 1');
  });

  it('finds every copy beyond the first, and beyond those that are allowed', () => {
    const thrice = ({ sink }: ReturnType<typeof inOrder>) => sink.set('<b@in.test>', 3);
    expect(faultsAfter(thrice)).to.deep.equal(['duplicates 2']);
    expect(faultsAfter(thrice, { duplicates: 1 })).to.deep.equal(['duplicates 2, at most 1']);
    expect(faultsAfter(thrice, { duplicates: 2 })).to.deep.equal([]);
  });

  it('finds more unknown, deferred and refused than the fault explains', () => {
    for (const name of ['unknown', 'deferred', 'refused'] as const)
      expect(faultsAfter(() => {}, { [name]: 0 })).to.deep.equal([`${name} 1`]);
  });

  it('finds a campaign whose rows do not add up, and one that lacks some of its audience', () => {
    const campaignWith = (change: object) => (facts: ReturnType<typeof inOrder>) => {
      facts.campaigns = facts.campaigns.map((campaign) => ({ ...campaign, ...change }));
    };
    expect(faultsAfter(campaignWith({ frozen: 6 }))).to.deep.equal(['unbalanced 1']);
    expect(faultsAfter(campaignWith({ frozen: null }))).to.deep.equal(['unbalanced 1']);
    expect(faultsAfter(campaignWith({ counts: { total: 5, sent: 4 } }))).to.deep.equal(['unbalanced 1']);
  });

  it('finds claims that are open or overlap, and people of a sent campaign without a claim or a row', () => {
    for (const name of ['openClaims', 'claimedTwice', 'unclaimed', 'rowless'] as const) {
      const doctor = (facts: ReturnType<typeof inOrder>) => {
        facts.campaigns = facts.campaigns.map((one) => ({ ...one, blocks: { ...one.blocks, [name]: 3 } }));
      };
      expect(faultsAfter(doctor)).to.deep.equal([`${name} 3`]);
      const facts = inOrder();
      doctor(facts);
      expect(tell(check(facts))).to.contain(`${name} 3`);
    }
  });

  it('does not call an empty tally in order', () => {
    expect(broken(check({ sink: new Map(), rows: [], acknowledged: [], campaigns: [] }))).to.deep.equal([
      'nothing was sent',
    ]);
  });
});
