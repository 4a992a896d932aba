import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { InboundMessage } from '../../core/inbound/model.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { placesId } from '../../core/mail/frequency/cap.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { sentMessage, storedMessage } from '../feedback/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { runRounds } from './rounds.ts';

describe('A contact whose address changed', function () {
  this.timeout(120_000);
  const environment = useEnvironment();

  const db = () => environment.deps.db;
  const projectId = () => environment.own.project._id;
  let people = 0;
  let id: string;
  let former: string;
  let current: string;

  beforeEach(async () => {
    people += 1;
    // Longer than the values that a history keeps.
    [former, current] = [`former${people}.${'x'.repeat(40)}@${'long.'.repeat(36)}test`, `current${people}@people.test`];
    id = (await create(former)).id;
    await writes(former, 'before');
    await move(id, current);
  });

  async function create(email: string): Promise<{ id: string }> {
    const { status, text, body } = await environment.own.client.post('/contacts', { email });
    expect(status, text).equal(201);
    return body.data;
  }

  async function move(contactId: string, email: string): Promise<void> {
    const { status, text } = await environment.own.client.patch(`/contacts/${contactId}`, { email });
    expect(status, text).equal(200);
  }

  /** A mail came in from the address, and an event names it. */
  async function writes(email: string, subject: string, at = environment.clock.now()): Promise<void> {
    const _id = new ObjectId();
    const message = {
      ...{ _id, projectId: projectId(), dedupe: _id.toHexString(), messageId: `${_id}@in.test`, subject },
      ...{ from: { email, name: null }, to: [], cc: [], bcc: [], replyTo: [], attachments: [], headers: [] },
      ...{ text: null, html: null, threadId: _id.toHexString(), receivedAt: at },
    };
    await db().inboundMessages.insertOne(message as unknown as InboundMessage);
    await db().projectEvents.insertOne({
      ...{ _id: new ObjectId(), projectId: projectId(), type: 'email.sent', createdAt: at, writtenAt: at },
      data: { emailId: _id.toHexString(), email, subject },
    } as never);
  }

  /** By the subjects of mails and events. */
  async function exported(contactId: string): Promise<{ mails: string[]; events: string[] }> {
    const { status, text, body } = await environment.own.client.get(`/contacts/${contactId}/data`);
    expect(status, text).equal(200);
    const events = body.eventLog.filter(({ type }: { type: string }) => type === 'email.sent');
    return {
      mails: body.inboundMessages.map(({ subject }: { subject: string }) => subject).sort(),
      events: events.map(({ data }: { data: { subject: string } }) => data.subject).sort(),
    };
  }

  /** The subjects of mails and events that leave with a deleted contact. */
  async function leaving(): Promise<{ mails: string[]; events: string[] }> {
    const mails = await db().inboundMessages.find({ projectId: projectId(), isOfDeleted: true }).toArray();
    const query = { projectId: projectId(), type: 'email.sent', eraseAt: { $exists: true } };
    const events = await db().projectEvents.find(query).toArray();
    return {
      mails: mails.map(({ subject }) => subject).sort(),
      events: events.map(({ data }) => String((data as { subject: unknown }).subject)).sort(),
    };
  }

  const mailTo = (email: string, fields: Partial<Message> = {}) =>
    sentMessage(environment, environment.own, { email, name: 'Ada', subject: 'Dear Ada', ...fields });
  const stored = (message: Message) => storedMessage(environment, message);

  async function remove(contactId: string): Promise<void> {
    expect((await environment.own.client.delete(`/contacts/${contactId}`)).status).equal(200);
  }

  async function deleteAndErase(contactId: string): Promise<void> {
    await remove(contactId);
    const isLeft = () => db().contactErasures.countDocuments({ projectId: projectId() });
    await runRounds(environment.deps, [messageErasures], async () => (await isLeft()) === 0);
  }

  afterEach(async () => {
    await db().inboundMessages.deleteMany({ projectId: projectId() });
    await db().projectEvents.deleteMany({ projectId: projectId() });
  });

  it('gets what names its former address with its data, as what names the one of today', async () => {
    await writes(current, 'after');
    await writes(former, 'from the old mailbox');
    await writes(`stranger${people}@people.test`, 'of a stranger');
    const own = ['after', 'before', 'from the old mailbox'];
    expect(await exported(id)).deep.equal({ mails: own, events: own });
  });

  it('takes that along when it is deleted', async () => {
    await writes(current, 'after');
    await writes(`stranger${people}@people.test`, 'of a stranger');
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).equal(200);
    expect(await leaving()).deep.equal({ mails: ['after', 'before'], events: ['after', 'before'] });
  });

  it('does not get, nor take along, what names the address after another contact has it', async () => {
    const other = (await create(former)).id;
    await writes(former, 'of the other', new Date(Date.now() + 1_000));
    expect(await exported(id)).deep.equal({ mails: ['before'], events: ['before'] });
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).equal(200);
    expect(await leaving()).deep.equal({ mails: ['before'], events: ['before'] });
    expect((await exported(other)).mails).includes('of the other');
  });

  it('is found by every address that it had', async () => {
    const third = `third${people}@people.test`;
    await writes(current, 'in between');
    await move(id, third);
    expect((await exported(id)).mails).deep.equal(['before', 'in between']);
    expect((await environment.own.client.delete(`/contacts/${id}`)).status).equal(200);
    expect((await leaving()).mails).deep.equal(['before', 'in between']);
  });

  it('has its history read once by its deletion, for all that follows', async () => {
    const { contactHistory } = db();
    const find = contactHistory.find.bind(contactHistory);
    let reads = 0;
    contactHistory.find = ((...given: Parameters<typeof find>) => {
      reads += 1;
      return find(...given);
    }) as typeof find;
    await remove(id).finally(() => {
      contactHistory.find = find;
    });
    // The other one finds contacts that left one of its addresses.
    expect(reads).equal(2);
  });

  describe('to one that another contact had before', () => {
    let began: number;
    let shared: string;
    let ben: string;
    let ada: string;
    const dayOf = (day: number) => new Date(began + day * 86_400_000);
    const idOf = (day: number) => ObjectId.createFromTime(Math.floor(dayOf(day).getTime() / 1_000));
    const both = (...subjects: string[]) => ({ mails: subjects, events: subjects });

    beforeEach(async () => {
      began = Date.now();
      shared = `shared${people}@people.test`;
      ben = (await create(shared)).id;
      await writes(shared, 'of Ben', dayOf(1));
      environment.clock.set(dayOf(60));
      await move(ben, `ben${people}@people.test`);
      await writes(shared, 'between them', dayOf(70));
      ada = (await create(`ada${people}@people.test`)).id;
      environment.clock.set(dayOf(90));
      await move(ada, shared);
      await writes(shared, 'of Ada', dayOf(100));
      environment.clock.set(dayOf(110));
    });

    afterEach(() => environment.clock.set(new Date()));

    it('gets with its data what came while it had the address, present or former', async () => {
      expect(await exported(ada)).deep.equal(both('of Ada'));
      environment.clock.set(dayOf(150));
      await move(ada, `later${people}@people.test`);
      await writes(shared, 'from the old mailbox', dayOf(160));
      expect(await exported(ada)).deep.equal(both('from the old mailbox', 'of Ada'));
      expect(await exported(ben)).deep.equal(both('of Ben'));
    });

    it('takes nothing along that the other contact had written', async () => {
      environment.clock.set(dayOf(150));
      await move(ada, `later${people}@people.test`);
      await remove(ada);
      expect(await leaving()).deep.equal(both('between them', 'of Ada'));
      await remove(ben);
      expect(await leaving()).deep.equal(both('between them', 'of Ada', 'of Ben'));
    });

    it('takes along what may be of either when the other one is deleted first', async () => {
      await remove(ben);
      expect(await leaving()).deep.equal(both('between them', 'of Ben'));
    });

    it('has no part in mail to the other contact, nor in a row that was refused then', async () => {
      const [toBen, toAda] = [await mailTo(shared, { _id: idOf(1) }), await mailTo(shared, { _id: idOf(100) })];
      const row = { projectId: projectId(), importId: new ObjectId(), row: 1, email: shared, address: shared };
      const ofBen = { ...row, _id: `${row.importId}:1`, message: 'was refused', createdAt: dayOf(1) };
      await db().importErrors.insertOne(ofBen);
      const { messages, importErrors } = (await environment.own.client.get(`/contacts/${ada}/data`)).body;
      expect(messages.map((message: { id: string }) => message.id)).deep.equal([`${toAda._id}`]);
      expect(importErrors).deep.equal([]);
      await deleteAndErase(ada);
      expect(await stored(toBen)).deep.equal(toBen);
      expect(await stored(toAda)).include({ email: '' });
      expect(await db().importErrors.findOne({ _id: ofBen._id, projectId: projectId() })).deep.equal(ofBen);
    });
  });

  describe('and is deleted', () => {
    const inAMinute = () => ObjectId.createFromTime(Math.floor(Date.now() / 1_000) + 60);

    /** Documents that name the address, and no contact. */
    async function fill(email: string) {
      const expiresAt = new Date(Date.now() + 86_400_000);
      const [_id, importId] = [placesId(projectId(), email), new ObjectId()];
      const places = [{ _id: new ObjectId(), mailId: new ObjectId(), at: new Date() }];
      await db().frequencyPlaces.insertOne({ _id, projectId: projectId(), places });
      await db().importErrors.insertOne({
        ...{ _id: `${importId}:1`, projectId: projectId(), importId, row: 1, email, address: email },
        ...{ message: `${email} was refused`, createdAt: new Date() },
      });
      const waiting = { projectId: projectId(), email, createdAt: new Date(), expiresAt };
      await db().formSubmissions.insertOne({ _id: new ObjectId(), ...waiting } as never);
      await db().pendingSubscriptions.insertOne({ _id: new ObjectId(), ...waiting, agreements: [] } as never);
    }

    /** Where the address is left. */
    async function named(email: string): Promise<string[]> {
      const whose = { projectId: projectId(), email };
      const { frequencyPlaces, importErrors, formSubmissions, pendingSubscriptions } = db();
      const counts = {
        places: await frequencyPlaces.countDocuments({ _id: placesId(projectId(), email), projectId: projectId() }),
        importErrors: await importErrors.countDocuments(whose),
        formSubmissions: await formSubmissions.countDocuments(whose),
        pendingSubscriptions: await pendingSubscriptions.countDocuments(whose),
      };
      return Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : []));
    }

    it('takes along mail to its former address that names no contact, and all else that names the address', async () => {
      const mail = await mailTo(former);
      const copies = [
        { kind: 'to', email: `other${people}@people.test`, name: null, state: 'sent' },
        { kind: 'cc', email: former, name: 'Ada', state: 'sent' },
      ] as Message['recipients'];
      const others = { recipients: copies!, name: 'Other', subject: 'Hello' };
      const copy = await mailTo(`other${people}@people.test`, others);
      const scheduledAt = new Date(Date.now() + 86_400_000);
      const scheduled = await mailTo(former, { lane: 'transactional', state: 'scheduled', scheduledAt });
      const strangers = await mailTo(`stranger${people}@people.test`);
      await fill(former);
      await deleteAndErase(id);
      expect(await stored(scheduled)).include({ state: 'cancelled', email: '' });
      expect(await stored(mail)).include({ email: '' });
      expect(JSON.stringify([await stored(mail), await stored(copy)])).not.match(/former|Ada/);
      expect(await named(former)).deep.equal([]);
      expect(await stored(strangers)).deep.equal(strangers);
    });

    it('leaves what another contact, who has the address now, got since', async () => {
      const before = await mailTo(former);
      await create(former);
      const since = await mailTo(former, { _id: inAMinute() });
      const later = new Date(Date.now() + 60_000);
      await db().importErrors.insertOne({
        ...{ _id: `${new ObjectId()}:1`, projectId: projectId(), importId: new ObjectId(), row: 1 },
        ...{ email: former, address: former, message: 'was refused', createdAt: later },
      });
      await deleteAndErase(id);
      expect(await stored(before)).include({ email: '' });
      expect(await stored(since)).deep.equal(since);
      expect(await named(former)).deep.equal(['importErrors']);
    });
  });
});
