// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { useHands } from '../support.ts';

describe('A recipient whose address changed after the freeze', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();

  it('gets nothing at the former address once the address of today is suppressed, but for a bounce there', async () => {
    const word = new ObjectId().toHexString();
    const all = ['stays', 'moves', 'UNSUBSCRIBE', 'COMPLAINT', 'MANUAL', 'BOUNCE'];
    const former = (name: string) => `${name.toLowerCase()}-${word}@example.org`;
    const list = await stage.list(all.length, (index) => former(all[index]!));
    const id = await stage.launch({ toLists: [list] });
    expect(await hands.advance(id)).to.include({ kind: 'freeze' });
    await hands.freeze(id);
    for (const name of all.slice(1)) {
      const email = `present-${former(name)}`;
      const contact = await stage.deps.db.contacts.findOne({ projectId: stage.own.project._id, email: former(name) });
      const moved = await stage.own.client.patch(`/contacts/${contact?._id}`, { email });
      expect(moved.status, moved.text).to.equal(200);
      if (name === 'moves') continue;
      const entry = { emails: [email], isGlobal: true, reason: name };
      const suppressed = await stage.own.client.post('/suppression-groups/emails/suppress', entry);
      expect(suppressed.status, suppressed.text).to.equal(200);
    }
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect([...(await stage.arrived(id)).keys()].toSorted()).to.deep.equal(
      ['stays', 'moves', 'BOUNCE'].map(former).toSorted(),
    );
    const refused = await stage.messages(id, { state: 'suppressed' });
    expect(refused.map(({ suppressedBy }) => suppressedBy?.reason).toSorted()).to.deep.equal([
      'COMPLAINT',
      'MANUAL',
      'UNSUBSCRIBE',
    ]);
    expect((await stage.get(id)).metrics).to.include({ totalContacts: 6, suppressed: 3, sent: 3, pending: 0 });
  });
});
