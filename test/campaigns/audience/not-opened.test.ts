import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type Signal, writeSignals } from '../../../core/mail/feedback/engagements.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { recomputeSegment } from '../../../core/people/lists/recompute.ts';
import { segmentOf } from '../../contacts/support.ts';
import { BROWSER } from '../../feedback/support.ts';
import { useHands } from '../support.ts';

const DAY_MS = 24 * 3_600_000;

describe('A campaign to those who did not open another one', function () {
  this.timeout(90_000);
  const { stage, hands } = useHands();

  const tag = () => new ObjectId().toHexString().slice(-8);
  const client = () => stage.own.client;
  const again = (id: string, body: object = { to: 'notOpened' }) => client().post(`/campaigns/${id}/duplicate`, body);
  const publish = (id: string) => client().patch(`/campaigns/${id}`, { publish: true, sendNow: true });
  const audienceOf = async (id: string) => (await stage.audience(id)).map(({ email }) => email);

  async function sent(fields: object): Promise<string> {
    const id = await stage.launch(fields);
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    return id;
  }

  /** The copy, with its audience written down. */
  async function frozen(id: string): Promise<string> {
    const copy = (await again(id)).body.data.id;
    expect((await publish(copy)).status).to.equal(200);
    expect((await hands.advance(copy)).kind).to.equal('freeze');
    await hands.freeze(copy);
    return copy;
  }

  const signal = (message: Message, kind: 'open' | 'click' | 'machine'): Signal => {
    const own = { projectId: message.projectId, messageId: message._id };
    const at = new Date((message.sentAt?.getTime() ?? Date.now()) + 60_000);
    if (kind === 'click') return { kind, ...own, at, url: 'https://shop.example.com/sale', agent: BROWSER };
    const agent = kind === 'open' ? BROWSER : 'Barracuda Sentinel (EE)';
    return { kind: 'open', ...own, at, agent, purpose: '', method: 'GET' };
  };
  async function act(id: string, email: string, kind: 'open' | 'click' | 'machine'): Promise<void> {
    const message = (await stage.messages(id)).find((one) => one.email === email) as Message;
    await writeSignals(stage.deps, [signal(message, kind)]);
  }
  const contactIdOf = async (email: string) =>
    `${(await stage.deps.db.contacts.findOne({ projectId: stage.own.project._id, email }))?._id}`;

  it('is a draft with the other campaign as its audience, no list, and keeps those that are excluded', async () => {
    const name = tag();
    const list = await stage.list(1, () => `${name}@example.org`);
    const excludeLists = [await stage.list(0)];
    const id = await sent({ toLists: [list], excludeLists });
    const { status, body } = await again(id);
    expect(status).to.equal(201);
    expect(body.data).to.deep.include({
      status: 'draft',
      toLists: [],
      sendToGlobalList: false,
      audience: { campaignId: id, did: 'notOpened' },
    });
    expect(body.data.excludeLists[0].id).to.equal(excludeLists[0]);
    expect((await again(id, {})).body.data).to.deep.include({ audience: null });
    expect((await again(body.data.id, {})).body.data.audience, 'a copy of the copy').to.deep.equal(body.data.audience);
    const named = await client().patch(`/campaigns/${body.data.id}`, { toLists: [list] });
    expect([named.body.data.audience, named.body.data.toLists[0].id]).to.deep.equal([null, list]);
  });

  it('goes to those who got the mail and neither opened it themselves nor clicked, as it is when it starts', async () => {
    const name = tag();
    const [at, listId] = [(who: string) => `${name}-${who}@example.org`, await stage.list(0)];
    const everybody = ['a', 'clicked', 'deleted', 'excluded', 'late', 'left', 'machine', 'opened', 'stopped', 'z'];
    const bounced = `perm-rcpt-550+${name}@example.org`;
    const toLists = [listId, await stage.list(11, (i) => (i === 10 ? bounced : at(everybody[i] as string)))];
    const excludeLists = [await stage.list(0)];
    const id = await sent({ toLists, excludeLists });
    await act(id, at('opened'), 'open');
    await act(id, at('clicked'), 'click');
    await act(id, at('machine'), 'machine');
    const copy = (await again(id)).body.data.id;
    expect((await publish(copy)).status).to.equal(200);
    // From here on until it starts.
    await act(id, at('late'), 'open');
    await client().delete(`/contacts/${await contactIdOf(at('deleted'))}`);
    await client().post(`/contact-lists/${toLists[1]}/contacts/remove`, { emails: [at('left')] });
    for (const [contactListId, emails] of [
      [excludeLists[0], [at('excluded')]],
      [toLists[1], [at('new')]],
    ])
      await client().post('/contact-lists/contacts/bulk-add', { contactListId, emails });
    await client().post('/suppression-groups/emails/suppress', { emails: [at('stopped')], isGlobal: true });
    const audience = { campaignId: id, did: 'notOpened' };
    const counted = await client().post('/campaigns/audience', { audience, excludeLists });
    expect(counted.body.data).to.deep.equal({ total: 4, suppressed: 1, willReceive: 3, isExact: true });
    expect(await hands.drive(copy)).to.include({ status: 'sent' });
    expect([...(await stage.arrived(copy)).keys()].sort()).to.deep.equal([at('a'), at('machine'), at('z')]);
    expect(await stage.progress(copy)).to.include({ total: 4, sent: 3, suppressed: 1, pending: 0 });
    const { reason } = (await client().get(`/campaigns/${copy}/recipients/${await contactIdOf(at('opened'))}`)).body
      .data;
    expect(reason).to.contain(`Not in the audience: did not get the campaign ${id}, opened it`);
  });

  it('is counted neither together with lists nor for a campaign that is not there', async () => {
    const audience = { campaignId: new ObjectId().toHexString(), did: 'notOpened' };
    const both = await client().post('/campaigns/audience', { audience, sendToGlobalList: true });
    expect([both.status, both.body.error.details]).to.deep.equal([400, 'audience: is given with lists']);
    const none = await client().post('/campaigns/audience', { audience });
    expect([none.status, none.body.error.details]).to.deep.equal([
      404,
      'audience/campaignId: names no campaign of this project',
    ]);
  });

  it('asks only lists again: who left a segment, or got it with everybody, is still a recipient', async () => {
    const name = tag();
    const segment = (await client().post('/contact-lists', segmentOf('firstName', 'equals', name))).body.data;
    const { deps, own } = stage;
    await recomputeSegment(deps, own.project._id, new ObjectId(segment.id as string), { timeMs: 5_000 });
    await client().post('/contacts/email', { email: `${name}@example.org`, firstName: name });
    const id = await sent({ toLists: [segment.id] });
    await client().post('/contacts/email', { email: `${name}@example.org`, firstName: 'Other' });
    expect(await audienceOf(await frozen(id))).to.deep.equal([`${name}@example.org`]);
  });

  it('is exact over many batches, in the order of addresses, also for a contact whose address changed', async () => {
    const name = tag();
    const toLists = [await stage.list(4_500, (i) => `${name}-${10_000 + i}@example.org`)];
    const id = await sent({ toLists });
    const rows = await stage.messages(id);
    const opened = rows.filter((_, index) => index % 7 === 0 || (index > 2_000 && index < 2_300));
    for (let from = 0; from < opened.length; from += 500)
      await writeSignals(
        stage.deps,
        opened.slice(from, from + 500).map((message) => signal(message, 'open')),
      );
    const renamed = `0-${name}@example.org`;
    const moved = rows.find(({ email }) => email === `${name}-10001@example.org`) as Message;
    await client().patch(`/contacts/${moved.contactId}`, { email: renamed });
    const copy = await frozen(id);
    const gone = new Set(opened.map(({ email }) => email));
    const wanted = rows.map(({ email }) => email).filter((email) => !gone.has(email) && email !== moved.email);
    expect(await audienceOf(copy)).to.deep.equal([renamed, ...wanted]);
    const { freeze, _id, projectId } = await stage.stored(copy);
    expect(freeze?.frozen).to.deep.equal({ total: wanted.length + 1, inBlocks: wanted.length + 1 });
    const blocks = await stage.deps.db.campaignBlocks.find({ campaignId: _id, projectId }).sort({ n: 1 }).toArray();
    const seen = blocks.flatMap(({ recipients }) => recipients.map(({ email }) => email));
    expect(seen).to.deep.equal([renamed, ...wanted]);
  });

  it('while it waits to start, the lists that it asks cannot be deleted', async () => {
    const name = tag();
    const list = await stage.list(1, () => `${name}@example.org`);
    const copy = (await again(await sent({ toLists: [list] }))).body.data.id;
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await client().patch(`/campaigns/${copy}`, { publish: true, sendMode: 'scheduled', scheduledAt: at });
    expect((await client().delete(`/contact-lists/${list}`)).body.error.code).to.equal('INVALID_STATE');
    await stage.act(copy, 'abort');
    expect((await client().delete(`/contact-lists/${list}`)).status).to.equal(200);
  });

  describe('is refused with 409', () => {
    const set = (id: string, fields: object) =>
      stage.deps.db.campaigns.updateOne({ _id: new ObjectId(id), projectId: stage.own.project._id }, { $set: fields });
    const gone = () => new Date(Date.now() - (stage.deps.config.retentionDays + 1) * DAY_MS);
    const firstOne = async () => {
      const name = tag();
      return sent({ toLists: [await stage.list(1, () => `${name}@example.org`)] });
    };

    it('while the first one is not over, and when its mails are not kept any more', async () => {
      const id = await firstOne();
      await set(id, { status: 'paused' });
      const early = await again(id);
      expect([early.status, early.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(early.body.error.message).to.contain('is paused');
      await set(id, { status: 'sent', 'freeze.at': gone() });
      const late = await again(id);
      expect([late.status, late.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(late.body.error.message).to.contain('are kept until');
    });

    it('at publishing, for the same reasons or when the first one was deleted', async () => {
      const id = await firstOne();
      const copy = (await again(id)).body.data.id;
      await set(id, { status: 'sending' });
      expect((await publish(copy)).status).to.equal(409);
      await set(id, { status: 'sent', 'freeze.at': gone() });
      expect((await publish(copy)).status).to.equal(409);
      await client().delete(`/campaigns/${id}`);
      const refused = await publish(copy);
      expect([refused.status, refused.body.error.message]).to.deep.equal([
        409,
        'The campaign to whose recipients this one goes was deleted; name lists instead.',
      ]);
      expect((await stage.get(copy)).status).to.equal('draft');
    });

    it('at the start, where it fails with the reason and sends nothing', async () => {
      const id = await firstOne();
      const copy = (await again(id)).body.data.id;
      await publish(copy);
      await set(id, { 'freeze.at': gone() });
      expect(await hands.drive(copy)).to.include({ status: 'failed' });
      expect((await stage.get(copy)).failureReason).to.contain('are kept until');
    });

    it('between the start and the freeze too', async () => {
      const id = await firstOne();
      const copy = (await again(id)).body.data.id;
      await publish(copy);
      expect((await hands.advance(copy)).kind).to.equal('freeze');
      await set(id, { status: 'sending' });
      expect(await hands.drive(copy)).to.include({ status: 'failed' });
      expect((await stage.get(copy)).failureReason).to.contain('is sending');
    });
  });

  it('that failed before its audience was written begins again with a retry: it fails where a list that it excludes is gone', async () => {
    const name = tag();
    const list = await stage.list(2, (i) => `${i}-${name}@example.org`);
    const without = await stage.list(0);
    const first = await sent({ toLists: [list], excludeLists: [without] });
    const joined = { contactListId: without, emails: [`1-${name}@example.org`] };
    expect((await client().post('/contact-lists/contacts/bulk-add', joined)).status).to.equal(200);
    const setFirst = (status: string) =>
      stage.deps.db.campaigns.updateOne(
        { _id: new ObjectId(first), projectId: stage.own.project._id },
        { $set: { status: status as 'sent' } },
      );
    const failed = async () => {
      const copy = (await again(first)).body.data.id;
      await publish(copy);
      expect((await hands.advance(copy)).kind).to.equal('freeze');
      await setFirst('sending');
      expect(await hands.drive(copy)).to.include({ status: 'failed' });
      await setFirst('sent');
      return copy;
    };
    const [kept, gone] = [await failed(), await failed()];
    await stage.act(kept, 'retry', { states: ['failed'] });
    expect(await hands.drive(kept)).to.include({ status: 'sent' });
    expect([...(await stage.arrived(kept)).keys()]).to.deep.equal([`0-${name}@example.org`]);
    expect((await client().delete(`/contact-lists/${without}`)).status).to.equal(200);
    await stage.act(gone, 'retry', { states: ['failed'] });
    expect(await hands.drive(gone)).to.include({ status: 'failed' });
    expect((await stage.get(gone)).failureReason).to.contain('which it excludes, was deleted');
    expect((await stage.arrived(gone)).size).to.equal(0);
  });

  it('takes no other word', async () => {
    const id = await sent({ toLists: [await stage.list(1, () => `${tag()}@example.org`)] });
    const { status, body } = await again(id, { to: 'opened' });
    expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect(body.error.details).to.contain('to');
  });
});
