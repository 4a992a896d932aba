import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { hashOfErased } from '../../core/base/secrets.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Content, Message } from '../../core/mail/ledger/model.ts';
import { dueAtOnce, queueMailing } from '../../core/mail/messages/messages.ts';
import { hurry, type Post, startPost } from '../delivery/support.ts';
import { sentMessage, storedMessage } from '../feedback/support.ts';
import { until } from '../support/wait.ts';

const HOUR_MS = 3_600_000;

describe('Mail to a contact that is deleted', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  const erasures = () => post.environment.deps.db.contactErasures;
  const contact = async (email: string) =>
    (await post.own.client.post('/contacts', { email, firstName: 'Ada' })).body.data.id as string;
  const deleted = async (id: string) => expect((await post.own.client.delete(`/contacts/${id}`)).status).to.equal(200);
  const email = async (id: string) => (await post.own.client.get(`/emails/${id}`)).body.data;
  const stored = (id: string) =>
    post.environment.deps.db.messages.findOne({ _id: new ObjectId(id), projectId: post.own.project._id });

  /** As half a day later: what is due is erased until nothing is. */
  async function look(): Promise<number> {
    const { deps, own } = post.environment;
    const projectId = own.project._id;
    await erasures().updateMany({ projectId }, [{ $set: { dueAt: '$$NOW' } }]);
    const loop = startQueues(deps, [messageErasures(deps)]);
    await loop.ready;
    await until(
      () => erasures().countDocuments({ projectId, $expr: { $lte: ['$dueAt', '$$NOW'] } }),
      (due) => due === 0,
    );
    await loop.stop();
    return erasures().countDocuments({ projectId });
  }

  it('says within a day neither address nor name nor data of it, and counts as before', async () => {
    const { db } = post.environment.deps;
    const projectId = post.own.project._id;
    const address = 'ada.lovelace@in.test';
    const id = await contact(address);
    const single = await post.send({
      to: { email: address, name: 'Ada Lovelace' },
      subject: 'Dear {{name}}',
      html: '<p>{{name}}</p>',
      dynamicData: { name: 'Ada Lovelace' },
      tags: [{ name: 'kind', value: 'letter' }],
    });
    const bulk = await post.bulk({
      recipients: [
        { email: address, name: 'Ada Lovelace', dynamicData: { name: 'Lovelace' } },
        { email: 'bob@in.test' },
      ],
      html: '<p>{{name}}</p>',
    });
    const { emails } = (await post.own.client.get(`/emails?batchId=${bulk.body.data.batchId}`)).body.data;
    const ofBatch = (to: string) => emails.find(({ email }: { email: string }) => email === to).id as string;
    const ids = [single.body.data.emailId as string, ofBatch(address)];
    const bobs = ofBatch('bob@in.test');
    for (const one of [...ids, bobs]) await post.settled(one, 'sent');
    const at = new Date();
    const messageId = new ObjectId(ids[0]);
    await writeSignals(post.environment.deps, [
      { kind: 'click', projectId, messageId, at, url: 'https://shop.example.com/?who=lovelace', agent: 'Lovelace/1.0' },
    ]);
    const bounced = await contact('perm-rcpt-550+ada.lovelace@in.test');
    const refused = await post.send({ to: { email: 'perm-rcpt-550+ada.lovelace@in.test' } });
    await post.settled(refused, 'bounced');
    ids.push(refused.body.data.emailId);

    await deleted(id);
    await deleted(bounced);
    // Its own time is half a day away, well within the day that is promised.
    const [row] = await erasures().find({ projectId }).toArray();
    expect((row?.dueAt?.getTime() ?? 0) - (row?.deletedAt.getTime() ?? 0)).to.equal(12 * HOUR_MS);
    expect(await look()).to.equal(0);

    for (const one of ids) {
      const message = await stored(one);
      expect(JSON.stringify(message)).to.not.match(/lovelace/i);
      expect(message?.emailHash).to.match(/^[0-9a-f]{64}$/);
      const shown = await email(one);
      expect(shown).to.deep.include({ email: null, name: null, subject: null });
      expect(shown.recipients[0]).to.deep.include({ email: null, name: null });
    }
    expect((await email(ids[0]!)).tags, 'tags are of the kind of mail').to.deep.equal([
      { name: 'kind', value: 'letter' },
    ]);
    for (const alone of [ids[0]!, ids[2]!]) expect((await email(alone)).content).to.equal(null);
    expect((await stored(ids[0]!))?.emailHash).to.equal((await stored(ids[1]!))?.emailHash);
    expect((await email(ids[2]!)).reply).to.deep.include({ code: 550, text: '' });
    const engagement = await db.engagements.findOne({ _id: messageId, projectId });
    expect(engagement?.clickedAt).to.be.instanceOf(Date);
    expect(JSON.stringify(engagement)).to.not.match(/lovelace/i);
    expect((await post.own.client.get('/emails?status=sent')).body.data.pagination.total).to.equal(3);
    expect((await post.own.client.get(`/emails?email=${address}`)).body.data.emails).to.deep.equal([]);
    expect(await email(bobs)).to.deep.include({ email: 'bob@in.test', subject: 'Hello' });
    expect((await email(bobs)).content.html).to.equal('<p>{{name}}</p>');
  });

  describe('whose address was changed', () => {
    /** A contact with deferred mail changes its address; another contact gets the old address, and mail of its own. */
    async function changed() {
      const { own } = post;
      const old = `temp-rcpt-450+${new ObjectId().toHexString()}.gwen@in.test`;
      const gwen = await contact(old);
      const hers = await queued(gwen, old);
      await own.client.patch(`/contacts/${gwen}`, { email: `new.${new ObjectId().toHexString()}@in.test` });
      const heir = await contact(old);
      const heirs = await queued(heir, old);
      for (const id of [hers, heirs]) await post.settled(id, 'deferred');
      return { gwen, old, hers, heirs };
    }

    /** As an automation queues it, with its contact. */
    async function queued(contactId: string, to: string): Promise<string> {
      const { deps } = post.environment;
      const projectId = post.own.project._id;
      const [at, messageId] = [new Date(), new ObjectId()];
      const template = (await post.read(await post.send({ to: { email: 'form@in.test' } }))).content!;
      const content: Content = { ...template, _id: new ObjectId(), projectId, messageIds: [messageId], createdAt: at };
      const about = { projectId, lane: 'automation', state: 'queued', createdAt: at } as const;
      const whom = { email: to, name: 'Gwen', contactId: new ObjectId(contactId), automationId: new ObjectId() };
      const rest = { subject: 'Dear Gwen', contentId: content._id, dueAt: dueAtOnce(deps) };
      await queueMailing(deps, { content, messages: [{ _id: messageId, ...about, ...whom, ...rest }] });
      return messageId.toHexString();
    }

    it('fails what is queued to the old address, and leaves the mail of another contact who has it now', async () => {
      const { gwen, hers, heirs } = await changed();
      await deleted(gwen);
      expect(await stored(hers)).to.include({ state: 'failed', reason: 'The contact was deleted.' });
      expect(await stored(heirs)).to.include({ state: 'deferred' });
    });

    it('erases what was sent to the old address, under its own hash, and nothing of another contact who has it now', async () => {
      const { gwen, old, hers, heirs } = await changed();
      await deleted(gwen);
      expect(await look()).to.equal(0);
      const message = await stored(hers);
      expect(message).to.include({
        email: '',
        emailHash: hashOfErased(post.environment.deps, post.own.project._id, old),
      });
      expect(JSON.stringify(message)).to.not.match(/gwen/i);
      expect(await stored(heirs)).to.include({ email: old, name: 'Gwen', subject: 'Dear Gwen' });
      // Deleted with the address that another contact had before: the mail of that contact stays as well.
      const other = await contact('once.hugo@in.test');
      const hugos = await queued(other, 'once.hugo@in.test');
      await post.settled(hugos, 'sent');
      await post.own.client.patch(`/contacts/${other}`, { email: 'now.hugo@in.test' });
      await deleted(await contact('once.hugo@in.test'));
      expect(await look()).to.equal(0);
      expect(await stored(hugos)).to.include({ email: 'once.hugo@in.test', subject: 'Dear Gwen' });
    });

    it('is found by an index of contacts', async () => {
      const { db } = post.environment.deps;
      const filter = {
        projectId: post.own.project._id,
        contactId: { $in: [new ObjectId()] },
        state: 'queued' as const,
      };
      const plan = await db.messages.find(filter).explain('queryPlanner');
      expect(JSON.stringify(plan.queryPlanner.winningPlan)).to.contain('"indexName":"contact"');
    });
  });

  it('loses only the copy where it was sent to others too; later mail to the address stays', async () => {
    const address = 'copy.of.cleo@in.test';
    const id = await contact(address);
    const answer = await post.send({ to: { email: 'dora@in.test' }, cc: [{ email: address, name: 'Cleo' }] });
    await post.settled(answer, 'sent');
    await deleted(id);
    // Ids begin with a second, and the deletion was within one.
    await sleep(1_100);
    const later = await post.send({ to: { email: address, name: 'Cleo' } });
    await post.settled(later, 'sent');
    expect(await look()).to.equal(0);
    const shown = await email(answer.body.data.emailId);
    expect(shown).to.deep.include({ email: 'dora@in.test', subject: 'Hello' });
    expect(
      shown.recipients.map(({ email, status }: { email: string; status: string }) => [email, status]),
    ).to.deep.equal([
      ['dora@in.test', 'sent'],
      [null, 'sent'],
    ]);
    expect(JSON.stringify(await stored(answer.body.data.emailId))).to.not.match(/cleo/i);
    expect(await email(later.body.data.emailId)).to.deep.include({ email: address, name: 'Cleo' });
  });

  it('leaves no reply that may name it with a mail that was sent to others too; lines about another recipient stay', async () => {
    const { environment, own } = post;
    const address = 'copy.of.quinn@in.test';
    const id = await contact(address);
    const at = new Date();
    const shared = { code: 250, enhanced: '2.0.0', text: `taken for olga@in.test and ${address}` };
    const later = { code: 450, enhanced: '4.2.0', text: `<${address}>: greylisted` };
    const gone = { code: 550, enhanced: '5.1.1', text: 'no such user pia@in.test' };
    const line = { type: 'bounced', at, email: 'pia@in.test', reply: gone, reason: 'no mailbox' };
    const one = { name: null, state: 'sent' as const, reply: shared, reason: null };
    const message = await sentMessage(environment, own, {
      ...{ lane: 'transactional', email: 'olga@in.test', reply: shared },
      recipients: [
        { ...one, kind: 'to', email: 'olga@in.test' },
        { ...one, kind: 'cc', email: address, name: 'Quinn' },
        { ...one, kind: 'bcc', email: 'pia@in.test', state: 'bounced' },
      ],
      timeline: [
        { type: 'deferred', at, reply: later, reason: 'asked to come back later' },
        { type: 'delayed', at, reason: `${address} does not answer` },
        { type: 'clicked', at, url: 'https://shop.example.com/' },
        line,
      ],
    });
    await deleted(id);
    expect(await look()).to.equal(0);
    const left = (await storedMessage(environment, message))!;
    expect(JSON.stringify(left)).to.not.match(/quinn/i);
    expect(left).to.deep.include({ state: 'sent', email: 'olga@in.test', reply: { ...shared, text: '' } });
    expect(left.recipients?.map(({ email, reply }) => [email, reply?.code])).to.deep.equal([
      ['olga@in.test', 250],
      ['', 250],
      ['pia@in.test', 250],
    ]);
    expect(left.timeline).to.deep.equal([
      { type: 'deferred', at, reply: { ...later, text: '' }, reason: 'asked to come back later' },
      { type: 'delayed', at },
      { type: 'clicked', at, url: 'https://shop.example.com/' },
      line,
    ]);
  });

  it('is erased from scheduled mail to others at the same time as from the rest', async () => {
    const address = 'cc.of.mira@in.test';
    const id = await contact(address);
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const scheduledAt = new Date(Date.now() + 30 * 86_400_000 - 60_000).toISOString();
    const fields = { to: { email: 'nora@in.test' }, cc: [{ email: address, name: 'Mira' }], scheduledAt };
    const mails = [await post.send(fields), await post.send({ ...fields, unsubscribeGroupId: groupId })];
    await deleted(id);
    expect(await look(), 'it waits for no mail that is sent in a month').to.equal(0);
    const rows = await post.environment.deps.db.messages.find({ projectId: post.own.project._id }).toArray();
    expect(JSON.stringify(rows)).to.not.match(/mira/i);
    for (const { body } of mails) expect((await email(body.data.emailId)).status).to.equal('scheduled');
  });

  it('is erased from mail that a step decided in the same moment, and that has a later id; other later mail to the address stays', async () => {
    const { environment, own } = post;
    const address = 'moment@in.test';
    const id = await contact(address);
    await deleted(id);
    const idIn = (seconds: number) => ObjectId.createFromTime(Math.floor(Date.now() / 1_000) + seconds);
    const decided = await sentMessage(environment, own, { _id: idIn(3), email: address, contactId: new ObjectId(id) });
    const later = await sentMessage(environment, own, { _id: idIn(4), email: address });
    expect(await look()).to.equal(0);
    expect((await storedMessage(environment, decided))?.email).to.equal('');
    expect((await storedMessage(environment, later))?.email).to.equal(address);
  });

  it('stays as it is with another project that writes to the same address', async () => {
    const { environment, own } = post;
    const address = 'both.know.ivy@in.test';
    const id = await contact(address);
    const theirContact = (await environment.other.client.post('/contacts', { email: address })).body.data.id;
    const fields = { email: address, name: 'Ivy', subject: 'Dear Ivy' };
    const copies = (await post.read(await post.send({ to: { email: 'x@in.test' }, cc: [{ email: address }] })))
      .recipients!;
    const theirs = await Promise.all([
      sentMessage(environment, environment.other, fields),
      sentMessage(environment, environment.other, { ...fields, contactId: new ObjectId(theirContact as string) }),
      sentMessage(environment, environment.other, { email: 'x@in.test', recipients: copies }),
      sentMessage(environment, environment.other, { ...fields, contactId: new ObjectId(id), state: 'deferred' }),
    ]);
    const mine = await sentMessage(environment, own, fields);
    await deleted(id);
    expect(await look()).to.equal(0);
    expect(await storedMessage(environment, mine)).to.include({ email: '' });
    for (const one of theirs) expect(await storedMessage(environment, one)).to.deep.equal(one);
  });

  it('waits while a mail to it is still being tried, and follows when that has ended', async () => {
    const address = 'temp-rcpt-450+eve@in.test';
    const id = await contact(address);
    const answer = await post.send({ to: { email: address } });
    await post.settled(answer, 'deferred');
    await deleted(id);
    expect(await look()).to.equal(1);
    expect(await email(answer.body.data.emailId)).to.deep.include({ email: address, status: 'deferred' });
    await post.environment.deps.db.messages.updateOne(
      { _id: new ObjectId(answer.body.data.emailId), projectId: post.own.project._id },
      { $set: { firstAt: new Date(Date.now() - 30 * HOUR_MS) } },
    );
    await hurry(post, 'deferred');
    await post.settled(answer, 'failed');
    expect(await look()).to.equal(0);
    expect(JSON.stringify(await stored(answer.body.data.emailId))).to.not.match(/eve/i);
  });

  it('hears of a bounce that comes later: it counts, and what the report says is not written down', async () => {
    const address = 'late.fay@in.test';
    const id = await contact(address);
    const answer = await post.send({ to: { email: address } });
    await post.settled(answer, 'sent');
    await deleted(id);
    expect(await look()).to.equal(0);
    const { deps } = post.environment;
    const projectId = post.own.project._id;
    const ref = { projectId, messageId: new ObjectId(answer.body.data.emailId) };
    const text = 'no such user late.fay@in.test';
    const report = { action: 'failed', recipient: address, code: 550, enhanced: '5.1.1', text } as const;
    expect(await applyReports(deps, ref, [report])).to.equal('applied');
    const message = (await stored(answer.body.data.emailId)) as Message;
    expect(message).to.deep.include({ state: 'bounced', email: '' });
    expect(message.reply).to.deep.equal({ code: 550, enhanced: '5.1.1', text: '' });
    expect(JSON.stringify(message)).to.not.match(/fay/i);
    expect(await deps.db.suppressions.countDocuments({ projectId, email: '' })).to.equal(0);
  });

  it('stays erased, with its files, when the call is repeated because its answer was lost', async () => {
    const { deps } = post.environment;
    const { db } = deps;
    const projectId = post.own.project._id;
    const address = 'grace.hopper@in.test';
    const id = await contact(address);
    const content = Buffer.alloc(1_100_000, 'Hopper').toString('base64');
    const call = () =>
      post.send(
        {
          to: { email: address },
          html: '<p>Dear Grace Hopper</p>',
          attachments: [{ fileName: 'hopper.txt', content }],
        },
        { 'Idempotency-Key': 'lost' },
      );
    const files = () => deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files').countDocuments();
    const before = await files();
    const first = await call();
    await post.settled(first, 'sent');
    expect(await files()).to.equal(before + 1);
    const { emailId } = first.body.data;
    await deleted(id);
    expect(await look()).to.equal(0);
    expect(await files()).to.equal(before);
    const left = { state: 'running' as const, body: null, status: null, leaseUntil: new Date(0) };
    await db.idempotency.updateMany({ state: 'done', body: { $regex: emailId } }, { $set: left });

    const again = await call();
    expect([again.status, again.body.data?.emailId], again.text).to.deep.equal([200, emailId]);
    const message = await stored(emailId);
    expect(message).to.include({ state: 'sent', email: '' });
    expect(await db.contents.countDocuments({ _id: message!.contentId!, projectId })).to.equal(0);
    expect(await files()).to.equal(before);
  });
});
