import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { recipientId } from '../../core/mail/ledger/blocks/recipient-id.ts';
import { start } from '../accounts/processes.ts';
import { createClient } from '../support/client.ts';
import { type Environment, startEnvironment, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { type AnswerOf, type Called, connect, initialize, no, type Question, rpc, use, yes } from './support.ts';

const SENDER = 'news@mail.example.com';
const mail = { from: { email: SENDER }, subject: 'Hello', text: 'Hello' };
const toThree = {
  ...mail,
  to: { email: 'a@example.org' },
  cc: [{ email: 'b@example.org' }, { email: 'A@example.org' }],
  bcc: [{ email: 'c@example.org' }],
};

describe('Sending to several people through MCP', function () {
  this.timeout(60_000);
  const environment = useEnvironment({ DNS_SERVERS: '127.0.0.1:9' });
  before(() => seedVerifiedDomain(environment.deps, environment.own.project, 'mail.example.com', new ObjectId()));

  const { get, post } = {
    get: (path: string) => environment.own.client.get(path),
    post: (path: string, body: object) => environment.own.client.post(path, body),
  };
  const sent = () => environment.deps.db.messages.countDocuments({ projectId: environment.own.project._id });
  const questions = () => environment.deps.db.confirmations.find({ projectId: environment.own.project._id }).toArray();

  /** Calls a tool with a client whose user answers so, and says what the user was asked. */
  async function asking(answerOf: AnswerOf, name: string, given: Record<string, unknown>, at = environment) {
    const asked: string[] = [];
    const client = await connect(at.url, at.own.projectKey, {
      answerOf: (question) => {
        asked.push(question.message);
        return answerOf(question);
      },
    });
    try {
      return { ...(await use(client, name, given)), asked };
    } finally {
      await client.close();
    }
  }

  async function listOf(...emails: string[]): Promise<string> {
    const { body } = await post('/contact-lists', { name: `List ${randomUUID()}` });
    if (emails.length > 0) await addTo(body.data.id, ...emails);
    return body.data.id;
  }

  async function addTo(contactListId: string, ...emails: string[]): Promise<void> {
    const added = await post('/contact-lists/contacts/bulk-add', {
      contactListId,
      emails,
    });
    expect(added.status, added.text).to.equal(200);
  }

  const campaign = (fields: object = {}) => ({
    name: 'Spring sale',
    subject: 'Sale',
    htmlTemplate: '<p>Sale</p>',
    from: { email: SENDER },
    ...fields,
  });
  async function draft(fields: object): Promise<string> {
    const made = await post('/campaigns', campaign(fields));
    expect(made.status, made.text).to.equal(200);
    return made.body.data.id;
  }

  describe('a mail to one person', () => {
    it('is sent without a question, with or without elicitation', async () => {
      const before = await sent();
      const one = { ...mail, to: { email: 'one@example.org' } };
      const { asked, isError, data } = await asking(yes, 'mails_send', one);
      expect([asked, isError, data.totalRecipients]).to.deep.equal([[], false, 1]);
      const client = await connect(environment.url, environment.own.projectKey);
      expect((await use(client, 'mails_send', one)).isError).to.equal(false);
      await client.close();
      expect(await sent()).to.equal(before + 2);
    });
  });

  describe('a mail to three', () => {
    it('is sent when the user confirms the number, which counts each address once', async () => {
      const before = await sent();
      let form: Question['requestedSchema'] | undefined;
      const answered = await asking(
        (question) => {
          form = question.requestedSchema;
          return yes(question);
        },
        'mails_send',
        toThree,
      );
      expect(answered.asked).to.have.length(1);
      expect(answered.asked[0]).to.contain('sends to 3 people');
      expect(form?.properties.confirm).to.include({ type: 'boolean', default: false, title: 'Send to 3 people' });
      expect(answered.isError, answered.text).to.equal(false);
      expect(await sent()).to.equal(before + 1);
    });

    for (const [how, answerOf] of Object.entries({
      'the user declines': no,
      'the user closes the form': () => ({ action: 'cancel' }),
      'the form is accepted without the tick': () => ({ action: 'accept', content: { confirm: false } }),
      'the client accepts without content': () => ({ action: 'accept' }),
    } satisfies Record<string, AnswerOf>))
      it(`is not sent when ${how}`, async () => {
        const before = await sent();
        const answered = await asking(answerOf, 'mails_send', toThree);
        expect(answered.isError).to.equal(true);
        expect(answered.text).to.contain('did not confirm; nothing was sent');
        expect(await sent()).to.equal(before);
      });

    it('is not sent by a client without elicitation, which hears why', async () => {
      const before = await sent();
      const client = await connect(environment.url, environment.own.projectKey);
      const answered = await use(client, 'mails_send', toThree);
      await client.close();
      expect(answered.isError).to.equal(true);
      expect(answered.text).to.contain('does not support elicitation');
      expect(await sent()).to.equal(before);
    });

    it('that would be refused is refused before the question', async () => {
      const answered = await asking(yes, 'mails_send', { ...toThree, from: { email: 'not an address' } });
      expect(answered.asked).to.deep.equal([]);
      expect(answered.text).to.contain('[VALIDATION_ERROR]');
    });

    it('leaves a record of its question without any of its content', async () => {
      await asking(yes, 'mails_send', toThree);
      const last = (await questions()).at(-1);
      expect(Object.keys(last ?? {})).to.have.members([
        '_id',
        'projectId',
        'apiKeyId',
        'waiting',
        'call',
        'people',
        'state',
        'expiresAt',
      ]);
      expect(JSON.stringify(last)).to.not.contain('example.org');
      expect([last?.people, last?.state]).to.deep.equal([3, 'used']);
    });
  });

  describe('the number', () => {
    it('of a bulk is that of its recipients and their copies', async () => {
      const recipients = [{ email: 'a@example.org' }, { email: 'b@example.org', cc: [{ email: 'd@example.org' }] }];
      const answered = await asking(yes, 'mails_bulk', { ...mail, recipients });
      expect(answered.asked[0]).to.contain('sends to 3 people');
      expect(answered.data.successCount).to.equal(2);
    });

    it('of a campaign is its audience: each contact of its lists once, without excluded ones', async () => {
      const [one, two, out] = [
        await listOf('n1@example.org', 'n2@example.org'),
        await listOf('n2@example.org', 'n3@example.org', 'n4@example.org'),
        await listOf('n4@example.org'),
      ];
      const published = campaign({ toLists: [one, two], excludeLists: [out], publish: true, sendNow: true });
      const refused = await asking(no, 'campaigns_create', published);
      expect(refused.asked).to.deep.equal([
        'Everpost: this call sends to 3 people: the campaign "Spring sale", now. Suppressed addresses are left out. Send?',
      ]);
      expect((await get('/campaigns?search=Spring')).body.data.campaigns).to.deep.equal([]);
      const answered = await asking(yes, 'campaigns_create', { ...published, toLists: [one] });
      expect(answered.asked[0]).to.contain('sends to 2 people');
      expect(answered.data.status).to.equal('scheduled');
    });

    it('of a draft is not asked about; that of its publication is, with its time', async () => {
      const list = await listOf('p1@example.org', 'p2@example.org');
      const made = await asking(no, 'campaigns_create', campaign({ toLists: [list] }));
      expect([made.asked, made.data.status]).to.deep.equal([[], 'draft']);
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      const asked = await asking(no, 'campaigns_update', { campaignId: made.data.id, scheduledAt });
      expect(asked.asked[0]).to.contain('sends to 2 people').and.contain(scheduledAt);
      expect((await get(`/campaigns/${made.data.id}`)).body.data.status).to.equal('draft');
      const done = await asking(yes, 'campaigns_update', { campaignId: made.data.id, scheduledAt });
      expect(done.data.status).to.equal('scheduled');
      const renamed = await asking(yes, 'campaigns_update', { campaignId: made.data.id, name: 'Other' });
      expect(renamed.asked).to.have.length(1);
    });

    it('of a test is asked about from two addresses on', async () => {
      const campaignId = await draft({});
      const one = await asking(no, 'campaigns_test', { campaignId, emails: ['me@example.org'] });
      expect([one.asked, one.isError]).to.deep.equal([[], false]);
      const two = await asking(no, 'campaigns_test', { campaignId, emails: ['me@example.org', 'you@example.org'] });
      expect(two.asked[0]).to.contain('sends to 2 people');
    });

    it('of a resumed campaign is asked about, and a campaign that is not paused is refused before', async () => {
      const list = await listOf('r1@example.org', 'r2@example.org');
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      const campaignId = await draft({ toLists: [list], publish: true, scheduledAt });
      const early = await asking(yes, 'campaigns_resume', { campaignId });
      expect([early.asked, early.isError]).to.deep.equal([[], true]);
      expect(early.text).to.contain('[INVALID_STATE]');
      expect((await asking(no, 'campaigns_pause', { campaignId })).data.status).to.equal('paused');
      const refused = await asking(no, 'campaigns_resume', { campaignId });
      expect(refused.asked[0]).to.contain('sends to 2 people: the rest of the campaign');
      expect((await get(`/campaigns/${campaignId}`)).body.data.status).to.equal('paused');
      expect((await asking(yes, 'campaigns_resume', { campaignId })).data.status).to.equal('scheduled');
    });

    it('of a retried campaign is that of the states, from its ledger', async () => {
      const campaignId = await draft({ toLists: [await listOf('t1@example.org')] });
      const { deps, own } = environment;
      const of = { projectId: own.project._id, campaignId: new ObjectId(campaignId) };
      await deps.db.campaigns.updateOne(
        { _id: of.campaignId, projectId: of.projectId },
        { $set: { status: 'sent', freeze: { isDone: true, written: 3 } as never } },
      );
      const rows = ['failed', 'unknown', 'unknown'].map((state, seq) => ({
        ...{ _id: new ObjectId(), ...of, state, seq: seq + 1, lane: 'campaign', email: `t${seq}@example.org` },
        contactId: new ObjectId(),
      }));
      await deps.db.messages.insertMany(rows as never);
      const asked = await asking(no, 'campaigns_retry', { campaignId, states: ['unknown'] });
      expect(asked.asked[0]).to.contain('sends to 2 people');
      const both = await asking(no, 'campaigns_retry', { campaignId, states: ['unknown', 'failed'] });
      expect(both.asked[0]).to.contain('sends to 3 people');
    });

    it('of a campaign to those who did not open another one is that of these people', async () => {
      const { deps, own } = environment;
      const emails = ['o1@example.org', 'o2@example.org', 'o3@example.org'];
      const source = new ObjectId(await draft({ toLists: [await listOf(...emails)] }));
      const ids = { projectId: own.project._id, campaignId: source };
      const at = new Date();
      const freeze = { at, run: new ObjectId(), written: 2, isDone: true, frozen: null };
      await deps.db.campaigns.updateOne(
        { _id: source, projectId: ids.projectId },
        { $set: { status: 'sent', sentAt: at, freeze } },
      );
      const people = await deps.db.contacts.find({ projectId: ids.projectId, email: { $in: emails } }).toArray();
      const [opened, unopened] = people.map(({ _id }) => recipientId(at, source, _id));
      const row = (_id: ObjectId | undefined) => ({ _id, ...ids, state: 'sent', lane: 'campaign', seq: 1 });
      await deps.db.messages.insertMany([row(opened), row(unopened)] as never);
      await deps.db.engagements.insertOne({ _id: opened, ...ids, humanOpenedAt: at } as never);
      const copy = await post(`/campaigns/${source}/duplicate`, { to: 'notOpened' });
      const given = { campaignId: copy.body.data.id, publish: true, sendNow: true };
      expect((await asking(no, 'campaigns_update', given)).asked[0]).to.contain('sends to 1 person:');
    });

    it('of an automation is that of the contacts who may enter it', async () => {
      const listId = await listOf('e1@example.org', 'e2@example.org', 'e3@example.org');
      await post('/senders', { email: SENDER });
      const steps = [{ type: 'email', email: { htmlTemplate: '<p>Hi</p>', subject: 'Hi', senderEmail: SENDER } }];
      const entryCriteria = { type: 'contact_added_to_list', listId };
      const made = await post('/automations', {
        name: 'Welcome',
        entryCriteria,
        steps: [{ type: 'wait', delay: { value: 1, unit: 'days' } }, ...steps],
      });
      expect(made.status, made.text).to.equal(201);
      const automationId = made.body.data.id;
      const refused = await asking(no, 'automations_activate', { automationId });
      expect(refused.asked[0]).to.contain('sends to 3 people: mails of the automation "Welcome"');
      expect((await get(`/automations/${automationId}`)).body.data.status).to.equal('draft');
      expect((await asking(yes, 'automations_activate', { automationId })).data.status).to.equal('active');
    });

    it('of a reply counts the person who is answered', async () => {
      const inboundId = new ObjectId();
      const none = { to: [], cc: [], bcc: [], replyTo: [], references: [], attachments: [], headers: [] };
      await environment.deps.db.inboundMessages.insertOne({
        ...{ _id: inboundId, projectId: environment.own.project._id, dedupe: inboundId.toHexString(), ...none },
        ...{ from: { email: 'asker@example.net', name: null }, messageId: '<q@example.net>', subject: 'Q', text: 'Q' },
        ...{ domainName: 'mail.example.com', html: null, status: 'PROCESSED', threadId: inboundId.toHexString() },
        ...{ inReplyTo: null, receivedAt: environment.deps.clock.now() },
      } as never);
      const reply = { inboundId: inboundId.toHexString(), from: { email: SENDER }, text: 'Yes.' };
      const alone = await asking(no, 'inbound_reply', reply);
      expect([alone.asked, alone.isError], alone.text).to.deep.equal([[], false]);
      const copied = await asking(no, 'inbound_reply', { ...reply, cc: [{ email: 'boss@example.net' }] });
      expect(copied.asked[0]).to.contain('sends to 2 people');
    });

    it('of a migration is asked about when automations run for its contacts', async () => {
      const { client } = environment.other;
      const started = await client.post('/migrations/providerB/migrate', { apiKey: 're_x', migrateAll: true });
      const migrationId = started.body.data.bulkOperationId;
      const at = { ...environment, own: environment.other };
      const quiet = await asking(no, 'migrations_retry', { migrationId }, at);
      expect([quiet.asked, quiet.isError]).to.deep.equal([[], true]);
      await environment.deps.db.migrations.updateOne(
        { _id: new ObjectId(migrationId), projectId: environment.other.project._id },
        { $set: { runWorkflow: true } },
      );
      const loud = await asking(no, 'migrations_retry', { migrationId }, at);
      expect(loud.asked[0]).to.contain('mails of automations');
    });
  });

  describe('a number that changes after the question', () => {
    const publish = (list: string) => campaign({ toLists: [list], publish: true, sendNow: true });

    it('is asked about again when it grew', async () => {
      const list = await listOf('g1@example.org');
      let count = 1;
      const answered = await asking(
        async (question) => {
          count += 1;
          if (count === 2) await addTo(list, 'g2@example.org');
          return yes(question);
        },
        'campaigns_create',
        publish(list),
      );
      expect(answered.asked.map((text) => /to (\d+)/.exec(text)?.[1])).to.deep.equal(['1', '2']);
      expect(answered.data.status).to.equal('scheduled');
    });

    it('is refused when it grows after each of three questions', async () => {
      const list = await listOf('g3@example.org');
      let count = 0;
      const before = (await get('/campaigns')).body.data.pagination.total;
      const answered = await asking(
        async (question) => {
          count += 1;
          await addTo(list, `more-${count}@example.org`);
          return yes(question);
        },
        'campaigns_create',
        publish(list),
      );
      expect(answered.asked).to.have.length(3);
      expect(answered.text).to.contain('grew after each confirmation; nothing was sent');
      expect((await get('/campaigns')).body.data.pagination.total).to.equal(before);
    });

    it('is covered by the confirmation when it fell', async () => {
      const list = await listOf('g5@example.org', 'g6@example.org');
      const answered = await asking(
        async (question) => {
          await post(`/contact-lists/${list}/contacts/remove`, { emails: ['g6@example.org'] });
          return yes(question);
        },
        'campaigns_create',
        publish(list),
      );
      expect(answered.asked).to.have.length(1);
      expect(answered.data.status).to.equal('scheduled');
    });
  });

  describe('a question', () => {
    interface Open {
      id: string;
      session: string;
      answer(result?: object, key?: string): Promise<{ status: number; body: { error?: { message: string } } }>;
      /** The rest of the stream. */
      rest: Promise<string>;
      cut(): void;
    }

    /** Calls the tool by hand, and reads the stream up to the question. */
    async function open(
      at: Environment = environment,
      key = at.own.projectKey,
      callId: string | number = 7,
    ): Promise<Open> {
      const begun = await at.client(key).post('/mcp', initialize({ elicitation: {} }));
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '',
        'MCP-Protocol-Version': '2025-11-25',
      };
      const ending = new AbortController();
      const body = JSON.stringify(rpc('tools/call', { name: 'mails_send', arguments: toThree }, callId));
      const response = await fetch(`${at.url}/v1/mcp`, { method: 'POST', headers, body, signal: ending.signal });
      expect(response.headers.get('content-type')).to.equal('text/event-stream');
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let text = '';
      const read = async () => {
        const { done, value } = await reader.read();
        text += new TextDecoder().decode(value);
        return done;
      };
      while (!text.includes('elicitation/create')) if (await read()) throw new Error(text);
      const { id } = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '');
      text = '';
      const rest = (async () => {
        while (!(await read()));
        return text;
      })().catch((error) => `cut: ${error}`);
      return {
        id,
        session: headers['Mcp-Session-Id'],
        answer: async (result = { action: 'accept', content: { confirm: true } }, own = key) =>
          at.client(own).post('/mcp', { jsonrpc: '2.0', id, result }),
        rest,
        cut: () => ending.abort(),
      };
    }

    const stateOf = async (id: string, at: Environment = environment) =>
      (await at.deps.db.confirmations.findOne({ _id: id, projectId: at.own.project._id }))?.state;

    it('takes one answer: a second one is refused and changes nothing', async () => {
      const before = await sent();
      const question = await open();
      expect((await question.answer()).status).to.equal(202);
      expect(await question.rest).to.contain('emailId');
      for (const late of [await question.answer(), await question.answer({ action: 'decline' })]) {
        expect(late.status).to.equal(400);
        expect(late.body.error?.message).to.contain('answered before');
      }
      expect(await stateOf(question.id)).to.equal('used');
      expect(await sent()).to.equal(before + 1);
    });

    it('is not answered by another key, of this project or of another', async () => {
      const { organization, project } = environment.own;
      const of = { organizationId: organization._id, projectId: project._id };
      const { key } = await createApiKey(environment.deps, { ...of, name: 'another' });
      const question = await open();
      expect((await question.answer(undefined, key)).status).to.equal(400);
      expect((await question.answer(undefined, environment.other.projectKey)).status).to.equal(400);
      expect(await stateOf(question.id)).to.equal('pending');
      expect((await question.answer({ action: 'decline' })).status).to.equal(202);
      expect(await question.rest).to.contain('did not confirm');
    });

    it('expires after five minutes, and its answer comes too late', async () => {
      const before = await sent();
      const question = await open();
      try {
        environment.clock.advance(300_001);
        expect(await question.rest).to.contain('no answer within five minutes; nothing was sent');
        expect((await question.answer()).status).to.equal(400);
      } finally {
        environment.clock.advance(-300_001);
      }
      expect(await sent()).to.equal(before);
    });

    it('is withdrawn when the client disconnects, and its answer comes too late', async () => {
      const before = await sent();
      const question = await open();
      question.cut();
      await until(
        () => stateOf(question.id),
        (state) => state === 'withdrawn',
      );
      expect((await question.answer()).status).to.equal(400);
      expect(await sent()).to.equal(before);
    });

    it('is withdrawn when the client cancels the call', async () => {
      const before = await sent();
      const ending = new AbortController();
      const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const client = await connect(environment.url, environment.own.projectKey, {
        answerOf: async () => {
          asked.resolve();
          // An answer that arrives before the cancellation would decline the question.
          await left.promise;
          return { action: 'cancel' };
        },
      });
      const called = client
        .callTool({ name: 'mails_send', arguments: toThree }, undefined, { signal: ending.signal })
        .then(
          () => 'answered',
          () => 'cancelled',
        );
      await asked.promise;
      const question = (await questions()).findLast(({ state }) => state === 'pending');
      ending.abort();
      expect(await called).to.equal('cancelled');
      await until(
        () => stateOf(question?._id ?? ''),
        (state) => state === 'withdrawn',
      );
      left.resolve();
      await client.close();
      expect(await sent()).to.equal(before);
    });

    it('of a cancelled call ends its stream without an answer', async () => {
      const question = await open();
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
      const headers = { 'Mcp-Session-Id': question.session };
      expect((await environment.own.client.post('/mcp', cancelled, headers)).status).to.equal(202);
      expect(await question.rest).to.not.contain('jsonrpc');
      expect(await stateOf(question.id)).to.equal('withdrawn');
      expect((await question.answer()).status).to.equal(400);
    });

    it('that another process still waits for is not answered after five minutes', async () => {
      const before = await sent();
      const { secretKeys } = environment.deps.config;
      const two = start(environment, 'api/main.ts', secretKeys.join(','));
      expect(await two.began).to.equal('ready');
      const client: Environment['client'] = (key, headers) => createClient(two.url(), key, headers);
      const question = await open({ ...environment, client, url: two.url() });
      environment.clock.advance(300_001);
      const late = await environment.own.client.post('/mcp', {
        ...{ jsonrpc: '2.0', id: question.id },
        result: { action: 'accept', content: { confirm: true } },
      });
      environment.clock.advance(-300_001);
      expect(late.status).to.equal(400);
      expect(await stateOf(question.id)).to.equal('pending');
      question.cut();
      await until(
        () => stateOf(question.id),
        (state) => state === 'withdrawn',
      );
      two.kill();
      await two.ended;
      expect(await sent()).to.equal(before);
    });

    it('of one session is not withdrawn by a cancellation in another session of the key', async () => {
      const question = await open(environment, environment.own.projectKey, 'same');
      const begun = await environment.own.client.post('/mcp', initialize({ elicitation: {} }));
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } };
      const sessionId = begun.headers.get('mcp-session-id') ?? '';
      const taken = await environment.own.client.post('/mcp', cancelled, { 'Mcp-Session-Id': sessionId });
      expect(taken.status).to.equal(202);
      expect(await stateOf(question.id)).to.equal('pending');
      await question.answer({ action: 'decline' });
      await question.rest;
    });

    it('ends with the revocation of its key, and nothing is sent', async () => {
      const { organization, project, adminKey } = environment.own;
      const of = { organizationId: organization._id, projectId: project._id };
      const { apiKey, key } = await createApiKey(environment.deps, { ...of, name: 'short-lived' });
      const before = await sent();
      const question = await open(environment, key);
      const revoked = await environment.client(adminKey).delete(`/account/api-keys/${apiKey._id}`);
      expect(revoked.status).to.equal(200);
      expect(await question.rest)
        .to.contain('revoked')
        .and.contain('Nothing was sent');
      await until(
        () => stateOf(question.id),
        (state) => state === 'withdrawn',
      );
      expect(await sent()).to.equal(before);
    });

    it('ends when its server stops, with an error that says so', async () => {
      const own = await startEnvironment();
      await seedVerifiedDomain(own.deps, own.own.project, 'mail.example.com', new ObjectId());
      const question = await open(own);
      const stopped = own.app.stop();
      const rest = await question.rest;
      expect(rest).to.contain('"id":7').and.contain('stopping').and.contain('Nothing was sent');
      await stopped;
      expect(await stateOf(question.id, own)).to.equal('withdrawn');
      expect(await own.deps.db.messages.countDocuments({ projectId: own.own.project._id })).to.equal(0);
      await own.stop();
    });
  });
});

describe('An answer that arrives at another API process', function () {
  this.timeout(60_000);

  const settings: Record<string, Record<string, string>> = {
    'with Redis': {},
    'without Redis': { REDIS_URL: 'redis://127.0.0.1:9' },
  };
  for (const [how, env] of Object.entries(settings))
    it(`is heard by the process that asked, ${how}`, async () => {
      const one = await startEnvironment(env);
      const two = start(one, 'api/main.ts', one.deps.config.secretKeys.join(','), env);
      try {
        expect(await two.began).to.equal('ready');
        await seedVerifiedDomain(one.deps, one.own.project, 'mail.example.com', new ObjectId());
        const answers: Promise<Response>[] = [];
        const client = await connect(one.url, one.own.projectKey, {
          answerOf: yes,
          fetch: async (url, init) => {
            const isAnswer = typeof init?.body === 'string' && !('method' in JSON.parse(init.body));
            if (!isAnswer) return fetch(url, init);
            const answered = fetch(String(url).replace(one.url, two.url()), init);
            answers.push(answered);
            return answered;
          },
        });
        const called: Called = await use(client, 'mails_send', toThree);
        // The call may end before the other process has answered, and closing breaks off what is under way.
        const taken = await Promise.all(answers);
        await client.close();
        expect(taken.map(({ url, status }) => `${new URL(url).origin} ${status}`)).to.deep.equal([
          `${new URL(two.url()).origin} 202`,
        ]);
        expect(called.isError, called.text).to.equal(false);
        expect(await one.deps.db.messages.countDocuments({ projectId: one.own.project._id })).to.equal(1);
      } finally {
        await two.stop();
        await one.stop();
      }
    });
});
