import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { startQueues } from '../../../core/jobs/queue.ts';
import { messageErasures } from '../../../core/mail/erase/erase.ts';
import { until } from '../../support/wait.ts';
import { useHands } from '../support.ts';

describe('A campaign whose recipient is deleted afterwards', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();

  it('shows neither address nor name, and its counts, rates and the order of recipients stay as they were', async () => {
    const { deps, own } = stage;
    const projectId = own.project._id;
    const gone = (index: number) => (index < 2 ? `gone${index}@example.org` : `u${index}@example.org`);
    const id = await stage.launch({ toLists: [await stage.list(5, gone)] });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    const [counts, before] = [await stage.progress(id), await stage.messages(id)];
    const people = before.filter(({ email }) => email.startsWith('gone')).map(({ contactId }) => `${contactId}`);
    expect(people).to.have.length(2);
    for (const person of people) expect((await own.client.delete(`/contacts/${person}`)).status).to.equal(200);
    const { contactErasures } = deps.db;
    await contactErasures.updateMany({ projectId }, [{ $set: { dueAt: '$$NOW' } }]);
    const loop = startQueues(deps, [messageErasures(deps)]);
    await until(
      () => contactErasures.countDocuments({ projectId }),
      (left) => left === 0,
    );
    await loop.stop();

    expect(JSON.stringify(await stage.messages(id))).to.not.contain('gone');
    expect(await stage.progress(id)).to.deep.include({ total: counts.total, sent: 5, pending: 0, failed: 0 });
    const { body } = await own.client.get(`/campaigns/${id}/reconcile`);
    expect(body.data).to.deep.include({ differences: [], isBalanced: true });
    const listed = (await own.client.get(`/campaigns/${id}/recipients?status=sent`)).body.data.recipients;
    expect(listed).to.have.length(5);
    expect(listed.filter(({ email }: { email: string | null }) => email === null)).to.have.length(2);
    const story = (await own.client.get(`/campaigns/${id}/recipients/${people[0]}`)).body.data;
    expect(story.recipient).to.deep.include({ email: null, status: 'sent' });
    expect(story.reason).to.contain('The relay took it.');
    const hashes = new Set((await stage.messages(id, { email: '' })).map(({ emailHash }) => emailHash));
    expect(hashes.size).to.equal(2);

    // A retry sends nothing to deleted contacts.
    await deps.db.messages.updateMany(
      { campaignId: new ObjectId(id), projectId, email: '' },
      { $set: { state: 'failed' } },
    );
    await stage.act(id, 'retry', { states: ['failed'] });
    await hands.drive(id);
    expect(await stage.progress(id)).to.deep.include({ failed: 2, sent: 3 });
    expect(stage.sink.ledger.total).to.equal(5);
  });
});
