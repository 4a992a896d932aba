import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { useHands } from '../support.ts';

const HTML = '<p>Of {{campaign.name}}: {{campaign.id}}</p><a href="{{unsubscribe}}">Leave</a>';

describe('The name of a campaign in its mail', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();

  it('is in the mail that is sent, shown, and listed: as it was when sending began', async () => {
    const [name, { client }] = [new ObjectId().toHexString().slice(-8), stage.own];
    const toLists = [await stage.list(1, () => `${name}@example.org`)];
    const subject = '{{campaign.name}} for you';
    const id = await stage.launch({ name: 'Spring', subject, htmlTemplate: HTML, toLists });
    const preview = (await client.post(`/campaigns/${id}/preview`, {})).body.data;
    expect([preview.subject, preview.html]).to.satisfy(
      ([line = '', html = '']: string[]) => line === 'Spring for you' && html.includes(`Of Spring: ${id}`),
    );
    expect(preview.variables).to.deep.include({ name: 'campaign.name', hasValue: true });
    const test = await client.post(`/campaigns/${id}/test`, { emails: ['tester@in.test'] });
    expect(test.status, test.text).to.equal(200);
    const [testId] = test.body.data.emailIds;
    expect((await client.get(`/emails/${testId}/content`)).body.data.html).to.include(`Of Spring: ${id}`);

    expect(await hands.drive(id)).to.include({ status: 'sent' });
    // As a change does that comes while it is sent.
    await stage.deps.db.campaigns.updateOne({ _id: new ObjectId(id) }, { $set: { name: 'Summer' } });
    const [message] = await stage.messages(id);
    const raw = stage.sink.ledger.messages.map((one) => one.raw).join();
    expect(raw.replaceAll('=\r\n', '')).to.include(`Of Spring: ${id}`);
    const shown = (await client.get(`/emails/${message?._id}/content`)).body.data;
    expect(shown.html).to.include(`Of Spring: ${id}`);
    expect((await client.get(`/emails/${message?._id}`)).body.data.subject).to.equal('Spring for you');
  });

  it('leaves a property of that name to the person who has one', async () => {
    const [name, { client }] = [new ObjectId().toHexString().slice(-8), stage.own];
    const email = `${name}@example.org`;
    const toLists = [await stage.list(1, () => email)];
    await client.post('/contacts/email', { email, contactProperties: { campaign: 'of hers' } });
    const subject = 'It is {{campaign}}';
    const id = await stage.launch({ name: 'Spring', subject, htmlTemplate: HTML, toLists });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    const [message] = await stage.messages(id);
    expect((await client.get(`/emails/${message?._id}`)).body.data.subject).to.equal('It is of hers');
  });
});
