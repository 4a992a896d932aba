import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { orphanOpenMessages } from '../../core/mail/ledger/after-restore.ts';
import { claimMessages } from '../../core/mail/ledger/claim.ts';
import { openLedger } from '../../core/mail/ledger/ledger.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { makeKey } from '../accounts/keys/keys.ts';
import { SENDER } from '../delivery/support.ts';
import type { Reply } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNKNOWN = '0123456789abcdef01234567';

/** Nothing sends here: test/delivery/scheduled.test.ts checks mail that leaves. */
describe('Mail for later', () => {
  const environment = useEnvironment();
  let own: Tenant;
  let projectId: ObjectId;
  let groupId: string;
  let people = 0;
  before(async () => {
    own = environment.own;
    projectId = own.project._id;
    await seedVerifiedDomain(environment.deps, own.project, 'mail.example.com', new ObjectId());
    groupId = (await own.client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    const events = ['email.scheduled', 'email.cancelled'];
    expect((await own.client.post('/webhooks', { url: 'https://hooks.example.com/a', events })).status).to.equal(201);
  });

  const messages = () => environment.deps.db.messages;
  const projectEvents = () => environment.deps.db.projectEvents;
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const person = () => `p${++people}@in.test`;
  const common = { from: { email: SENDER }, subject: 'Later', html: '<p>Later</p>' };
  const send = (fields: object = {}) =>
    own.client.post('/mails/send', { to: { email: person() }, ...common, ...fields });
  const bulk = (count: number, fields: object = {}) => {
    const recipients = Array.from({ length: count }, () => ({ email: person() }));
    return own.client.post('/mails/bulk', { recipients, ...common, ...fields });
  };
  const idOf = ({ status, text, body }: Reply): string => {
    expect(status, text).to.equal(200);
    return body.data.emailId;
  };
  const scheduled = async (fields: object = {}) => idOf(await send({ scheduledAt: inMs(HOUR_MS), ...fields }));
  const email = async (id: string) => (await own.client.get(`/emails/${id}`)).body.data;
  const row = (id: string) => messages().findOne({ _id: new ObjectId(id), projectId }) as Promise<Message>;
  const change = (id: string, set: Partial<Message>) =>
    messages().updateOne({ _id: new ObjectId(id), projectId }, { $set: set });
  const cancel = (id: string) => own.client.post(`/emails/${id}/cancel`);
  const move = (id: string, scheduledAt: unknown) => own.client.patch(`/emails/${id}`, { scheduledAt });
  const eventsOf = async (id: string) => {
    const found = await projectEvents().find({ projectId, 'data.emailId': id }).sort({ writtenAt: 1 }).toArray();
    return found.map(({ type }) => type);
  };
  const claim = (ids: string[]) =>
    claimMessages(environment.deps, openLedger(), { projectId, ids: ids.map((id) => new ObjectId(id)), due: true });

  function expectConflict({ status, body, text }: Reply, code: string): void {
    expect([status, body.error?.code], text).to.deep.equal([409, code]);
  }

  describe('has a time', () => {
    it('and waits for it, shown as scheduled, counted as accepted', async () => {
      const scheduledAt = inMs(2 * HOUR_MS);
      const answer = await send({ scheduledAt, cc: [{ email: person() }] });
      expect(answer.body.message).to.equal('Email scheduled successfully.');
      const id = idOf(answer);
      const shown = await email(id);
      expect(shown).to.deep.include({ status: 'scheduled', scheduledAt, sentAt: null, nextAttemptAt: null });
      expect(shown.recipients.map(({ status }: { status: string }) => status)).to.deep.equal([
        'scheduled',
        'scheduled',
      ]);
      expect(shown.timeline.map(({ type }: { type: string }) => type)).to.deep.equal(['queued', 'scheduled']);
      expect(await row(id)).to.deep.include({ state: 'scheduled', dueAt: new Date(scheduledAt) });
      const { emails } = (await own.client.get('/emails?status=scheduled&limit=100')).body.data;
      expect(emails.map((one: { id: string }) => one.id)).to.include(id);
      expect((await claim([id])).held).to.deep.equal([]);
      expect(await eventsOf(id)).to.deep.equal(['email.scheduled']);
    });

    it('with a zone, at most 30 days ahead and a minute ago', async () => {
      const near = new Date(Date.now() + HOUR_MS).toISOString();
      const refused: Array<[unknown, RegExp]> = [
        [inMs(30 * DAY_MS + 60 * SECOND_MS), /scheduledAt: is more than 30 days ahead/],
        [inMs(-65 * SECOND_MS), /scheduledAt: is more than a minute in the past/],
        [near.slice(0, -1), /scheduledAt: needs a time of day and a zone/],
        [near.slice(0, 10), /scheduledAt: needs a time of day and a zone/],
        ['tomorrow', /scheduledAt: must be an ISO 8601 time/],
        [Date.now() + HOUR_MS, /scheduledAt: must be a string/],
        [null, /scheduledAt: must be a string/],
      ];
      const id = await scheduled();
      for (const [scheduledAt, fault] of refused)
        for (const answer of [
          await send({ scheduledAt }),
          await bulk(2, { scheduledAt }),
          await move(id, scheduledAt),
        ]) {
          expect([answer.status, answer.body.error.code], String(scheduledAt)).to.deep.equal([400, 'VALIDATION_ERROR']);
          expect(answer.body.error.details).to.match(fault);
        }
      for (const scheduledAt of [
        inMs(30 * DAY_MS - 5 * SECOND_MS),
        near.replace('Z', '+00:00'),
        near.replace('Z', '-02'),
      ])
        expect((await email(await scheduled({ scheduledAt }))).status).to.equal('scheduled');
    });

    it('that has come, up to a minute ago: it is queued', async () => {
      const id = await scheduled({ scheduledAt: inMs(-30 * SECOND_MS) });
      expect(await email(id)).to.include({ status: 'queued', scheduledAt: null });
      expect(await eventsOf(id)).to.deep.equal([]);
    });

    it('in a bulk call, where a suppressed address is no failure yet', async () => {
      const suppressed = person();
      await own.client.post('/suppression-groups/emails/suppress', { emails: [suppressed], isGlobal: true });
      const recipients = [{ email: suppressed }, { email: person() }];
      const now = await own.client.post('/mails/bulk', { recipients, ...common });
      expect(now.body.data).to.include({ successCount: 1, failedCount: 1 });
      const later = await own.client.post('/mails/bulk', { recipients, ...common, scheduledAt: inMs(HOUR_MS) });
      expect(later.body.data).to.include({ successCount: 2, failedCount: 0 });
      const { batchId } = later.body.data;
      expect((await own.client.get(`/emails?batchId=${batchId}&status=scheduled`)).body.data.emails).to.have.length(2);
    });

    it('that holds for the repeat of a call that was cut off, even after it has passed', async () => {
      const { clock, deps } = environment;
      const to = person();
      const scheduledAt = inMs(HOUR_MS);
      const body = { to: { email: to }, ...common, scheduledAt };
      const again = () => own.client.post('/mails/send', body, { 'Idempotency-Key': 'later' });
      const { publish } = deps.signals;
      deps.signals.publish = () => {
        throw new Error('cut off after the commit');
      };
      expect((await again()).status).to.equal(500);
      deps.signals.publish = publish;
      const written = await messages().findOne({ projectId, email: to });
      clock.advance(2 * HOUR_MS);
      try {
        expect(idOf(await again())).to.equal(written?._id.toHexString());
      } finally {
        clock.advance(-2 * HOUR_MS);
      }
      expect(await messages().countDocuments({ projectId, email: to })).to.equal(1);
      expect(await row(idOf(await again()))).to.deep.include({
        state: 'scheduled',
        scheduledAt: new Date(scheduledAt),
      });
      expect(await eventsOf(idOf(await again()))).to.deep.equal(['email.scheduled']);
    });

    it('and its files as they are at the call; one that cannot be had refuses the call', async () => {
      const { deps } = environment;
      const { files } = deps;
      const asked: string[] = [];
      deps.files = {
        async fetch(url) {
          asked.push(url);
          if (url.includes('gone')) return { kind: 'never', reason: 'It is gone.' };
          return { kind: 'fetched', bytes: Buffer.from('%PDF-1.7'), contentType: 'application/pdf' };
        },
      };
      try {
        const attachments = [
          { fileName: 'a.txt', content: Buffer.from('a').toString('base64') },
          { fileName: 'b.pdf', fileUrl: 'https://files.example.com/b.pdf' },
        ];
        const id = await scheduled({ attachments });
        expect((await email(id)).content.attachments[1]).to.include({ contentType: 'application/pdf', fileSize: 8 });
        expect(asked).to.deep.equal(['https://files.example.com/b.pdf']);
        idOf(await send({ attachments }));
        expect(asked, 'those of other mail are fetched when it leaves').to.have.length(1);
        const stored = await messages().countDocuments({ projectId });
        const gone = [...attachments, { fileName: 'c', fileUrl: 'https://files.example.com/gone' }];
        const refused = await send({ attachments: gone, scheduledAt: inMs(HOUR_MS) });
        expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(refused.body.error.details).to.match(/^attachments\/2\/fileUrl: could not be used/);
        const wrongSize = [{ ...attachments[1], fileSize: 9 }];
        expect((await send({ attachments: wrongSize, scheduledAt: inMs(HOUR_MS) })).body.error.details).to.match(
          /^attachments\/0\/fileUrl: has 8 bytes, not 9/,
        );
        expect(await messages().countDocuments({ projectId })).to.equal(stored);
        expect(
          await deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files').countDocuments(),
        ).to.equal(1);
      } finally {
        deps.files = files;
      }
    });

    it('and its files when a repeat is refused after an answer that was lost, since one of them is gone by then', async () => {
      const { deps } = environment;
      const { files } = deps;
      const { publish } = deps.signals;
      let isGone = false;
      deps.files = {
        fetch: async (url) =>
          isGone && url.endsWith('b.pdf')
            ? { kind: 'never', reason: 'It is gone.' }
            : { kind: 'fetched', bytes: Buffer.from('%PDF-1.7'), contentType: 'application/pdf' },
      };
      const stored = () => deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files').countDocuments();
      const mail = (to: string, ...names: string[]) => ({
        ...{ to: { email: to }, ...common, scheduledAt: inMs(HOUR_MS) },
        attachments: names.map((fileName) => ({ fileName, fileUrl: `https://files.example.com/${fileName}` })),
      });
      const [alone, first, second] = [person(), person(), person()];
      const calls: Array<[string, object]> = [
        ['/mails/send', mail(alone, 'a.pdf', 'b.pdf')],
        ['/mails/batch', { mails: [mail(first, 'a.pdf'), mail(second, 'b.pdf')] }],
      ];
      try {
        for (const [path, body] of calls) {
          const before = await stored();
          const call = () => own.client.post(path, body, { 'Idempotency-Key': `files ${path}` });
          deps.signals.publish = () => {
            throw new Error('cut off after the commit');
          };
          expect((await call()).status, path).to.equal(500);
          deps.signals.publish = publish;
          isGone = true;
          expect((await call()).status, path).to.equal(400);
          expect(await stored(), path).to.equal(before + 2);
          isGone = false;
          expect((await call()).status, path).to.equal(200);
        }
        const all = { projectId, email: { $in: [alone, first, second] } };
        expect(await messages().countDocuments(all)).to.equal(3);
      } finally {
        deps.signals.publish = publish;
        deps.files = files;
      }
    });

    it('of its own in a call with different mails, whose files are fetched at the call too', async () => {
      const { deps } = environment;
      const { files } = deps;
      deps.files = {
        fetch: async (url) =>
          url.includes('gone')
            ? { kind: 'never', reason: 'It is gone.' }
            : { kind: 'fetched', bytes: Buffer.from('%PDF-1.7'), contentType: 'application/pdf' },
      };
      const stored = () => deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.files').countDocuments();
      const before = await stored();
      try {
        const mail = (name: string) => ({
          ...{ to: { email: person() }, ...common, scheduledAt: inMs(HOUR_MS) },
          attachments: [{ fileName: name, fileUrl: `https://files.example.com/${name}` }],
        });
        const mails = [mail('a.pdf'), { ...mail('b.pdf'), scheduledAt: undefined, attachments: [] }, mail('gone')];
        const strict = await own.client.post('/mails/batch', { mails });
        expect([strict.status, strict.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(strict.body.error.details).to.match(/^mails\/2\/attachments\/0\/fileUrl: could not be used/);
        expect(await stored(), 'the files of the others are removed').to.equal(before);
        const { body } = await own.client.post('/mails/batch', { mails, mode: 'partial' });
        expect(body.data).to.include({ successCount: 2, failedCount: 1 });
        const { batchId, results } = body.data;
        expect((await email(results[0].emailId)).status).to.equal('scheduled');
        expect((await email(results[1].emailId)).status).to.equal('queued');
        expect(await eventsOf(results[0].emailId)).to.deep.equal(['email.scheduled']);
        expect(await stored()).to.equal(before + 1);
        const answer = await own.client.post('/emails/cancel', { batchId });
        expect(answer.body.data).to.deep.equal({ cancelled: 2, notCancelled: 0 });
      } finally {
        deps.files = files;
      }
    });

    it('and is not in the figure of what waits in its lane', async () => {
      const tenant = await environment.newTenant('Lanes');
      await seedVerifiedDomain(environment.deps, tenant.project, 'lanes.example.com', new ObjectId());
      const body = { ...common, from: { email: 'a@lanes.example.com' }, to: { email: person() } };
      for (const scheduledAt of [undefined, inMs(HOUR_MS), inMs(2 * HOUR_MS)])
        idOf(await tenant.client.post('/mails/send', { ...body, scheduledAt }));
      const { lanes } = (await tenant.client.get('/reports/now')).body.data;
      expect(lanes.find(({ lane }: { lane: string }) => lane === 'transactional').waiting).to.equal(1);
    });
  });

  describe('gets another time', () => {
    it('as often as the caller likes, each an event', async () => {
      const id = await scheduled();
      for (const scheduledAt of [inMs(3 * HOUR_MS), inMs(2 * HOUR_MS)]) {
        const answer = await move(id, scheduledAt);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body.data).to.include({ id, status: 'scheduled', scheduledAt });
        expect(await row(id)).to.deep.include({ dueAt: new Date(scheduledAt), scheduledAt: new Date(scheduledAt) });
      }
      expect(await eventsOf(id)).to.deep.equal(['email.scheduled', 'email.scheduled', 'email.scheduled']);
      expect((await email(id)).timeline.map(({ type }: { type: string }) => type)).to.deep.equal([
        ...['queued', 'scheduled', 'scheduled', 'scheduled'],
      ]);
    });

    it('of now, and can be claimed at once', async () => {
      const id = await scheduled();
      expect((await move(id, inMs(0))).status).to.equal(200);
      expect((await claim([id])).held).to.have.length(1);
    });

    it('for all copies of a marketing mail, or for none', async () => {
      const id = await scheduled({
        unsubscribeGroupId: groupId,
        cc: [{ email: person() }],
        bcc: [{ email: person() }],
      });
      const scheduledAt = new Date(Date.now() + 4 * HOUR_MS);
      expect((await move(id, scheduledAt.toISOString())).status).to.equal(200);
      const ofMail = { projectId, 'copy.of': new ObjectId(id) };
      expect(await messages().countDocuments({ ...ofMail, dueAt: scheduledAt })).to.equal(3);
      await messages().updateOne({ ...ofMail, 'copy.index': 2 }, { $set: { state: 'committing' } });
      expectConflict(await move(id, inMs(HOUR_MS)), 'ALREADY_SENT');
      expect(await messages().countDocuments({ ...ofMail, dueAt: scheduledAt })).to.equal(3);
    });

    it('only while it is scheduled', async () => {
      const id = await scheduled();
      for (const state of ['queued', 'deferred', 'failed', 'suppressed', 'cancelled'] as const) {
        await change(id, { state });
        expectConflict(await move(id, inMs(HOUR_MS)), 'INVALID_STATE');
      }
      for (const state of ['committing', 'sent', 'bounced', 'unknown'] as const) {
        await change(id, { state });
        expectConflict(await move(id, inMs(HOUR_MS)), 'ALREADY_SENT');
      }
      expect((await move(UNKNOWN, inMs(HOUR_MS))).status).to.equal(404);
    });
  });

  describe('is cancelled', () => {
    it('for good, and once: again is 200 and no other event', async () => {
      const id = await scheduled({ cc: [{ email: person() }] });
      for (const answer of [await cancel(id), await cancel(id)]) {
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body.data).to.include({ id, status: 'cancelled', reason: null });
        expect(answer.body.data.recipients.map(({ status }: { status: string }) => status)).to.deep.equal([
          ...['cancelled', 'cancelled'],
        ]);
        expect(answer.body.data.timeline.at(-1).type).to.equal('cancelled');
      }
      expect(await eventsOf(id)).to.deep.equal(['email.scheduled', 'email.cancelled']);
      expect((await row(id)).dueAt).to.equal(undefined);
      await change(id, { dueAt: new Date(Date.now() - HOUR_MS) });
      expect((await claim([id])).held).to.deep.equal([]);
      const { emails } = (await own.client.get('/emails?status=cancelled&limit=100')).body.data;
      expect(emails.map((one: { id: string }) => one.id)).to.include(id);
    });

    it('while it is queued or deferred, too', async () => {
      const queued = idOf(await send());
      expect((await cancel(queued)).body.data).to.include({ status: 'cancelled' });
      const deferred = idOf(await send());
      await change(deferred, { state: 'deferred', dueAt: new Date(Date.now() + HOUR_MS), reason: 'Try later.' });
      expect((await cancel(deferred)).body.data).to.include({ status: 'cancelled', reason: null });
    });

    it('not when it is taken or may be', async () => {
      for (const state of ['committing', 'sent', 'bounced', 'unknown'] as const) {
        const id = await scheduled();
        await change(id, { state });
        expectConflict(await cancel(id), 'ALREADY_SENT');
        expect((await row(id)).state).to.equal(state);
      }
      for (const type of ['unknown', 'requeued']) {
        const id = idOf(await send());
        await change(id, { timeline: [{ type, at: new Date() }] });
        expectConflict(await cancel(id), 'ALREADY_SENT');
      }
    });

    it('not when one of several recipients has it', async () => {
      for (const state of ['sent', 'bounced', 'unknown'] as const) {
        const id = idOf(await send({ cc: [{ email: person() }] }));
        const { recipients } = await row(id);
        await change(id, { state: 'deferred', recipients: [{ ...recipients![0]!, state }, recipients![1]!] });
        expectConflict(await cancel(id), 'ALREADY_SENT');
      }
    });

    it('not when it ended otherwise, or belongs to a campaign or an automation', async () => {
      for (const state of ['failed', 'suppressed'] as const) {
        const id = await scheduled();
        await change(id, { state });
        expectConflict(await cancel(id), 'INVALID_STATE');
      }
      for (const owner of [{ campaignId: new ObjectId() }, { automationId: new ObjectId() }]) {
        const id = idOf(await send());
        await change(id, owner);
        expectConflict(await cancel(id), 'INVALID_STATE');
        expectConflict(await move(id, inMs(HOUR_MS)), 'INVALID_STATE');
      }
    });

    it('not by another project or key, with the answer of an unknown id', async () => {
      const id = await scheduled();
      const key = await makeKey(environment, own, { scope: 'send' });
      const theirs = await key.client.post('/mails/send', {
        ...{ to: { email: person() }, ...common, scheduledAt: inMs(HOUR_MS) },
      });
      for (const client of [environment.other.client, key.client]) {
        const answers = [id, UNKNOWN].map((one) => client.post(`/emails/${one}/cancel`));
        const [foreign, unknown] = await Promise.all(answers);
        expect([foreign!.status, foreign!.body]).to.deep.equal([404, unknown!.body]);
        expect((await client.patch(`/emails/${id}`, { scheduledAt: inMs(HOUR_MS) })).status).to.equal(404);
      }
      expect((await email(id)).status).to.equal('scheduled');
      expect((await key.client.post(`/emails/${idOf(theirs)}/cancel`)).status).to.equal(200);
    });

    it('with all its copies, or not at all', async () => {
      const fields = { unsubscribeGroupId: groupId, cc: [{ email: person() }], bcc: [{ email: person() }] };
      const [whole, taken] = [await scheduled(fields), await scheduled(fields)];
      const states = (id: string) => messages().distinct('state', { projectId, 'copy.of': new ObjectId(id) });
      expect((await cancel(whole)).body.data.recipients.map(({ status }: { status: string }) => status)).to.deep.equal([
        ...['cancelled', 'cancelled', 'cancelled'],
      ]);
      expect(await states(whole)).to.deep.equal(['cancelled']);
      await messages().updateOne(
        { projectId, 'copy.of': new ObjectId(taken), 'copy.index': 2 },
        { $set: { state: 'committing' } },
      );
      expectConflict(await cancel(taken), 'ALREADY_SENT');
      expect((await states(taken)).toSorted()).to.deep.equal(['committing', 'scheduled']);
    });

    it('or claimed: one of them wins, for each mail', async () => {
      const { batchId } = (await bulk(60, { scheduledAt: inMs(HOUR_MS) })).body.data;
      const rows = await messages().find({ projectId, batchId }).toArray();
      const ids = rows.map(({ _id }) => _id.toHexString());
      await messages().updateMany({ projectId, batchId }, [{ $set: { dueAt: '$$NOW' } }]);
      const shares = Array.from({ length: 6 }, (_, share) => ids.filter((_id, index) => index % 6 === share));
      const [answers, claims] = await Promise.all([
        Promise.all(ids.map(async (id) => ({ id, answer: await cancel(id) }))),
        Promise.all(shares.map((some) => claim(some))),
      ]);
      const held = new Set(claims.flatMap((one) => one.held.map(({ _id }) => _id.toHexString())));
      for (const { id, answer } of answers) {
        const { state } = await row(id);
        if (held.has(id)) expect([answer.body.error?.code, state]).to.deep.equal(['ALREADY_SENT', 'committing']);
        else expect([answer.status, state]).to.deep.equal([200, 'cancelled']);
      }
    });

    it('by its batch: what is left of it', async () => {
      const { batchId } = (await bulk(5, { scheduledAt: inMs(HOUR_MS) })).body.data;
      const rows = await messages().find({ projectId, batchId }).toArray();
      await change(rows[0]!._id.toHexString(), { state: 'sent' });
      await change(rows[1]!._id.toHexString(), { state: 'committing' });
      await cancel(rows[2]!._id.toHexString());
      const answer = () => own.client.post('/emails/cancel', { batchId });
      for (const { status, body } of [await answer(), await answer()])
        expect([status, body.data]).to.deep.equal([200, { cancelled: 3, notCancelled: 2 }]);
      const states = await Promise.all(rows.map(async ({ _id }) => (await row(_id.toHexString())).state));
      expect(states).to.deep.equal(['sent', 'committing', 'cancelled', 'cancelled', 'cancelled']);
      expect(await eventsOf(rows[3]!._id.toHexString())).to.deep.equal(['email.scheduled', 'email.cancelled']);
    });

    it('by its batch, each mail with its copies or not at all', async () => {
      const recipients = [1, 2].map(() => ({ email: person(), cc: [{ email: person() }] }));
      const body = { recipients, ...common, unsubscribeGroupId: groupId, scheduledAt: inMs(HOUR_MS) };
      const { batchId } = (await own.client.post('/mails/bulk', body)).body.data;
      const [first] = await messages().find({ projectId, batchId, 'copy.index': 1 }).toArray();
      await messages().updateOne({ _id: first!._id, projectId }, { $set: { state: 'committing' } });
      const answer = await own.client.post('/emails/cancel', { batchId });
      expect(answer.body.data).to.deep.equal({ cancelled: 1, notCancelled: 1 });
      expect(await messages().countDocuments({ projectId, batchId, state: 'cancelled' })).to.equal(2);
      expect(await messages().countDocuments({ projectId, batchId, state: 'scheduled' })).to.equal(1);
    });

    it('by no batch of another project or key, or that does not exist', async () => {
      const { batchId } = (await bulk(2, { scheduledAt: inMs(HOUR_MS) })).body.data;
      const key = await makeKey(environment, own, { scope: 'send' });
      for (const client of [environment.other.client, key.client])
        for (const one of [batchId, 'x']) {
          const { status, body } = await client.post('/emails/cancel', { batchId: one });
          expect([status, body.error.code]).to.deep.equal([404, 'EMAIL_NOT_FOUND']);
        }
      expect(await messages().countDocuments({ projectId, batchId, state: 'scheduled' })).to.equal(2);
    });
  });

  describe('does not reach a contact that was deleted', () => {
    const contact = async (address: string) => (await own.client.post('/contacts', { email: address })).body.data.id;
    const remove = async (id: string) => expect((await own.client.delete(`/contacts/${id}`)).status).to.equal(200);

    it('nor the others of a mail to it', async () => {
      const [address, other] = [person(), person()];
      const id = await contact(address);
      const to = { to: { email: address }, cc: [{ email: other }] };
      const mails = [await scheduled(to), await scheduled({ ...to, unsubscribeGroupId: groupId })];
      const [bystander, queued] = [await scheduled({ to: { email: other } }), idOf(await send(to))];
      await remove(id);
      for (const one of mails) {
        const shown = await email(one);
        expect(shown.recipients.map(({ status }: { status: string }) => status)).to.deep.equal([
          ...['cancelled', 'cancelled'],
        ]);
        expect(shown.reason).to.equal('The contact was deleted.');
        expect(await eventsOf(one)).to.include('email.cancelled');
      }
      expect((await email(bystander)).status).to.equal('scheduled');
      expect((await email(queued)).status).to.equal('queued');
    });

    it('in cc and bcc: the others get the mail', async () => {
      const [to, address] = [person(), person()];
      const id = await contact(address);
      const fields = { to: { email: to }, cc: [{ email: address }, { email: person() }] };
      const single = await scheduled(fields);
      const marketing = await scheduled({ ...fields, unsubscribeGroupId: groupId });
      await remove(id);
      expect(await row(single)).to.include({ state: 'scheduled' });
      expect(JSON.stringify(await row(single))).to.not.include(address);
      expect(JSON.stringify(await row(marketing)), 'the Cc line of the others').to.not.include(address);
      const copies = await messages()
        .find({ projectId, 'copy.of': new ObjectId(marketing) })
        .toArray();
      expect(copies.map(({ state }) => state).toSorted()).to.deep.equal(['cancelled', 'scheduled', 'scheduled']);
    });

    it('and is found without reading the mail that was sent to it', async () => {
      const address = person();
      await scheduled({ to: { email: address }, cc: [{ email: `cc.${address}` }] });
      const { _id, ...sent } = await row(await scheduled({ to: { email: address }, cc: [{ email: `cc.${address}` }] }));
      const many = Array.from({ length: 200 }, () => ({ ...sent, _id: new ObjectId(), state: 'sent' as const }));
      await messages().insertMany(many);
      const waiting = { projectId, state: 'scheduled' as const };
      for (const filter of [
        { ...waiting, email: { $in: [address] } },
        { ...waiting, 'recipients.email': { $in: [`cc.${address}`] }, recipients: { $exists: true } },
      ]) {
        const { executionStats } = await messages().find(filter).explain('executionStats');
        expect(executionStats.nReturned).to.equal(2);
        expect(executionStats.totalDocsExamined).to.be.at.most(3);
      }
    });

    it('nor anybody when the project was', async () => {
      const { deps, client, newTenant } = environment;
      const tenant = await newTenant('Gone');
      await seedVerifiedDomain(deps, tenant.project, 'gone.example.com', new ObjectId());
      const body = { ...common, from: { email: 'a@gone.example.com' }, to: { email: person() } };
      const id = idOf(await tenant.client.post('/mails/send', { ...body, scheduledAt: inMs(HOUR_MS) }));
      const kept = await scheduled();
      const path = `/account/projects/${tenant.project._id}`;
      expect((await client(tenant.adminKey).delete(path)).status).to.be.oneOf([200, 204]);
      const stored = await messages().findOne({ _id: new ObjectId(id), projectId: tenant.project._id });
      expect(stored).to.include({ state: 'cancelled', reason: 'The project was deleted.' });
      expect((await email(kept)).status).to.equal('scheduled');
    });
  });

  it('stays scheduled after a restored backup, unless its time has come', async () => {
    const [waits, isDue] = [await scheduled(), await scheduled()];
    await change(isDue, { dueAt: new Date(Date.now() - SECOND_MS) });
    await orphanOpenMessages(environment.deps, own.project);
    expect((await row(waits)).state).to.equal('scheduled');
    expect(await row(isDue)).to.include({ state: 'committing', owner: 'restored' });
  });
});
