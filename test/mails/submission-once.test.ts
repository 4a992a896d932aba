// Promise: nothing is sent twice.
import { expect } from 'chai';
import { MongoNetworkError, ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { ArrivingFile } from '../../core/mail/accept/submission/arriving-file.ts';
import { submissionContent } from '../../core/mail/accept/submission/submit.ts';
import { contentRemovals } from '../../core/mail/messages/content-retention.ts';
import { SENDER } from '../delivery/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { emailIdOf, openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;

/** Nothing is sent: each message that is queued would be a mail. */
describe('A mail that is submitted again', () => {
  const environment = useEnvironment();
  let door: SubmissionDoor;
  let number = 0;
  before(async () => {
    const { deps, own } = environment;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    door = await openSubmission({ deps, key: own.projectKey });
  });
  after(() => door.close());

  const mail = (messageId: string, { more = '', body = 'Once.', to = 'ada@in.test' } = {}) =>
    `From: ${SENDER}\nTo: ${to}\nSubject: Once\nMessage-ID: <${messageId}>\n${more}\n${body}`;
  const newId = () => `${number++}@app.example`;
  const hand = async (raw: string, to: string | string[] = 'ada@in.test') =>
    emailIdOf({ response: await door.hand({ raw, to }) });
  const rows = () =>
    environment.deps.db.messages.find({ projectId: environment.own.project._id }).sort({ _id: 1 }).toArray();
  const count = async () => (await rows()).length;

  it('with its Message-ID and body is the same mail for 24 hours, whatever trace lines and date it has', async () => {
    const messageId = newId();
    const first = await hand(mail(messageId));
    const before = await count();
    for (const more of ['Received: from a by b; now\n', 'Date: Mon, 1 Jan 2024 00:00:00 +0000\n', 'X-Try: 2\n'])
      expect(await hand(mail(messageId, { more }))).to.equal(first);
    expect(await count()).to.equal(before);
    environment.clock.advance(DAY_MS - 60_000);
    expect(await hand(mail(messageId))).to.equal(first);
    environment.clock.advance(120_000);
    expect(await hand(mail(messageId))).to.not.equal(first);
    expect(await count()).to.equal(before + 1);
  });

  it('with another body, subject or Message-ID, or without one, is new', async () => {
    const messageId = newId();
    const ids = [
      await hand(mail(messageId)),
      await hand(mail(messageId, { body: 'Twice.' })),
      await hand(mail(messageId).replace('Subject: Once', 'Subject: Again')),
      await hand(mail(newId())),
      await hand(mail(messageId).replace(/^Message-ID: .*\n/m, '')),
      await hand(mail(messageId).replace(/^Message-ID: .*\n/m, '')),
    ];
    expect(new Set(ids)).to.have.property('size', 6);
  });

  it('to more addresses reaches the new ones alone', async () => {
    const messageId = newId();
    const first = await hand(mail(messageId), ['ada@in.test', 'bob@in.test']);
    const second = await hand(mail(messageId), ['bob@in.test', 'eve@in.test', 'ada@in.test']);
    expect(second).to.not.equal(first);
    const row = (await rows()).find(({ _id }) => _id.toHexString() === second);
    expect([row?.email, row?.recipients]).to.deep.equal(['eve@in.test', undefined]);
    expect(await hand(mail(messageId), ['eve@in.test', 'bob@in.test'])).to.be.oneOf([first, second]);
  });

  it('ten times at once is queued once', async () => {
    const messageId = newId();
    const before = await count();
    const ids = await Promise.all(Array.from({ length: 10 }, () => hand(mail(messageId))));
    expect(new Set(ids)).to.have.property('size', 1);
    expect(await count()).to.equal(before + 1);
  });

  it('is another mail in another project', async () => {
    const { deps, own, other } = environment;
    const messageId = newId();
    const first = await hand(mail(messageId));
    const move = (from: ObjectId, projectId: ObjectId) =>
      deps.db.domains.updateOne({ projectId: from, domainName: 'mail.example.com' }, { $set: { projectId } });
    await move(own.project._id, other.project._id);
    const theirs = await door.hand({ raw: mail(messageId), key: other.projectKey });
    await move(other.project._id, own.project._id);
    expect(emailIdOf({ response: theirs })).to.not.equal(first);
  });

  it('publishes the events that the process which stored it did not, each of them once', async () => {
    const { deps, own } = environment;
    const { projectEvents } = deps.db;
    const { insertMany } = projectEvents;
    const projectId = own.project._id;
    const group = { emails: ['no@in.test'], isGlobal: true, reason: 'COMPLAINT' };
    expect((await own.client.post('/suppression-groups/emails/suppress', group)).status).to.equal(200);
    const { groupId } = (await own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const events = ['email.suppressed', 'email.scheduled'];
    expect((await own.client.post('/webhooks', { url: 'https://hooks.example.com/', events })).status).to.equal(201);
    const later = `X-Everpost-Send-At: ${new Date(environment.clock.now().getTime() + DAY_MS).toISOString()}\n`;
    const cases: Array<[string[], string, string[]]> = [
      [['no@in.test'], '', ['email.suppressed']],
      [['ada@in.test'], later, ['email.scheduled']],
      [
        ['ada@in.test', 'bob@in.test'],
        `${later}X-Everpost-Group: ${groupId}\n`,
        ['email.scheduled', 'email.scheduled'],
      ],
    ];
    for (const [to, more, expected] of cases) {
      const raw = mail(newId(), { more, to: to[0]! });
      projectEvents.insertMany = () => Promise.reject(new Error('cut off after the commit'));
      const cut = await door.hand({ raw, to }).finally(() => {
        projectEvents.insertMany = insertMany;
      });
      expect(cut).to.match(/^451 /);
      const emailId = await hand(raw, to);
      expect(await hand(raw, to)).to.equal(emailId);
      const published = await projectEvents.find({ projectId, 'data.emailId': emailId }).toArray();
      expect(published.map(({ type }) => type)).to.deep.equal(expected);
    }
  });

  describe('with an Idempotency-Key', () => {
    const keyed = (key: string, more: object = {}) => mail(newId(), { more: `Idempotency-Key: ${key}\n`, ...more });

    it('is the same mail under any Message-ID; with another mail the key is refused', async () => {
      const first = await hand(keyed('order 1'));
      expect(await hand(keyed('order 1'))).to.equal(first);
      expect(await hand(keyed('order 2'))).to.not.equal(first);
      const before = await count();
      const other = await door.hand({ raw: keyed('order 1', { body: 'Another order.' }) });
      expect(other).to.match(/^554 5\.6\.0 Idempotency-Key: .*another mail/);
      expect(await count()).to.equal(before);
    });

    it('reaches further addresses of the same mail, as a client sends those beyond the 50th', async () => {
      const first = await hand(keyed('split'), ['ada@in.test', 'bob@in.test']);
      const second = await hand(keyed('split'), 'eve@in.test');
      expect(second).to.not.equal(first);
      expect(await hand(keyed('split'), ['ada@in.test', 'bob@in.test'])).to.equal(first);
      expect(await hand(keyed('split'), 'eve@in.test')).to.equal(second);
    });

    it('that a request by HTTP has used is refused, and the other way round', async () => {
      const send = (key: string) =>
        environment.own.client.post(
          '/mails/send',
          { to: { email: 'ada@in.test' }, from: { email: SENDER }, subject: 'x', text: 'x' },
          { 'Idempotency-Key': key },
        );
      expect((await send('by http')).status).to.equal(200);
      expect(await door.hand({ raw: keyed('by http') })).to.match(/^554 5\.6\.0 /);
      await hand(keyed('by smtp'));
      expect((await send('by smtp')).body.error.code).to.equal('IDEMPOTENCY_KEY_REUSED');
    });
  });

  describe('after a process ended within it', () => {
    const large = (messageId: string) => mail(messageId, { body: `${'x'.repeat(98)}\n`.repeat(5_000) });

    async function runRemovals(): Promise<{ stop(): Promise<void> }> {
      const loop = startQueues(environment.deps, [contentRemovals(environment.deps)]);
      await loop.ready;
      return loop;
    }

    it('has no part of its file left a day later', async () => {
      const { deps, own } = environment;
      const origin = { at: deps.clock.now(), seed: new ObjectId() };
      const fileId = new ObjectId();
      const file = new ArrivingFile(deps, { content: submissionContent(own.project, origin), fileId });
      for (let piece = 0; piece < 20; piece += 1) await file.write(Buffer.alloc(65_536, 'x'));
      const chunks = deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.chunks');
      expect(await chunks.countDocuments({ files_id: fileId })).to.be.above(1);
      const note = { _id: fileId, projectId: own.project._id };
      const { removeDueAt } = (await deps.db.contents.findOne(note))!;
      expect(removeDueAt?.getTime()).to.equal(origin.at.getTime() + DAY_MS);
      await deps.db.contents.updateOne(note, { $set: { removeDueAt: new Date(0) } });
      const loop = await runRemovals();
      await until(
        () => chunks.countDocuments({ files_id: fileId }),
        (left) => left === 0,
      );
      await until(
        () => deps.db.contents.countDocuments(note),
        (left) => left === 0,
      );
      await loop.stop();
    });

    /** The server commits, and its answer does not arrive. */
    function loseCommits(): () => void {
      const { mongo } = environment.deps;
      const startSession = mongo.startSession.bind(mongo);
      mongo.startSession = (options) => {
        const session = startSession(options);
        const commit = session.commitTransaction.bind(session);
        session.commitTransaction = async () => {
          await commit();
          throw new MongoNetworkError('the answer was lost');
        };
        return session;
      };
      return () => {
        mongo.startSession = startSession;
      };
    }

    it('keeps its file when it was queued, although the answer to the commit was lost', async () => {
      const { deps, own } = environment;
      const raw = large(newId());
      const restore = loseCommits();
      expect(await door.hand({ raw }).finally(restore)).to.match(/^451 4\.3\.0 /);
      const emailId = await hand(raw);
      const projectId = own.project._id;
      const message = (await deps.db.messages.findOne({ _id: new ObjectId(emailId), projectId }))!;
      const content = (await deps.db.contents.findOne({ _id: message.contentId!, projectId }))!;
      const files = deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files');
      expect(await files.countDocuments({ _id: content.attachments[0]!.fileId! })).to.equal(1);
    });

    it('keeps its file when it was queued, although the note of the upload is still there', async () => {
      const { deps, own } = environment;
      const emailId = await hand(large(newId()));
      const of = { projectId: own.project._id, messageIds: new ObjectId(emailId) };
      const content = (await deps.db.contents.findOne(of))!;
      const { fileId } = content.attachments[0]!;
      expect(fileId).to.not.equal(null);
      await deps.db.contents.insertOne({ ...content, _id: fileId!, removeDueAt: new Date(0) });
      const loop = await runRemovals();
      const { removeDueAt } = await until(
        async () => (await deps.db.contents.findOne({ _id: fileId!, projectId: own.project._id }))!,
        (note) => note.removeDueAt! > deps.clock.now(),
      );
      await loop.stop();
      expect(removeDueAt).to.be.above(deps.clock.now());
      const files = deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files');
      expect(await files.countDocuments({ _id: fileId! })).to.equal(1);
    });
  });
});
