import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { useHands } from '../support.ts';

describe('The subject of a campaign mail', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();

  it('is in the list of mails, in each mail and in the history of a contact, filled for the person', async () => {
    const name = new ObjectId().toHexString().slice(-8);
    const list = await stage.list(2, (index) => `${name}-${index}@example.org`);
    const { client, project } = stage.own;
    const find = (index: number) =>
      stage.deps.db.contacts.findOne({ projectId: project._id, email: `${name}-${index}@example.org` });
    const [ada, bo] = [await find(0), await find(1)];
    await client.patch(`/contacts/${ada?._id}`, { firstName: 'Ada' });
    const id = await stage.launch({ toLists: [list], subject: 'News for {{firstName}}' });
    expect(await hands.drive(id)).to.include({ status: 'sent' });

    const subjects = async () => {
      const { emails } = (await client.get(`/emails?campaignId=${id}`)).body.data;
      return Object.fromEntries(emails.map((one: { email: string; subject: string }) => [one.email, one.subject]));
    };
    expect(await subjects()).to.deep.equal({
      [`${name}-0@example.org`]: 'News for Ada',
      [`${name}-1@example.org`]: 'News for ',
    });
    const [message] = (await stage.messages(id)).filter(({ email }) => email.startsWith(`${name}-0`));
    expect((await client.get(`/emails/${message?._id}`)).body.data.subject).to.equal('News for Ada');
    const { activity } = (await client.get(`/contacts/${ada?._id}/activity`)).body.data;
    const sent = activity.find(({ type }: { type: string }) => type === 'email.sent');
    expect(sent.email.subject).to.equal('News for Ada');

    await stage.deps.db.contacts.deleteOne({ _id: bo?._id, projectId: project._id });
    expect(await subjects(), 'a contact who is gone').to.include({
      [`${name}-1@example.org`]: 'News for {{firstName}}',
    });
  });
});
