import { expect } from 'chai';
import { GridFSBucket, ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { inboundRemovals } from '../../core/inbound/removals.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';

const DOMAIN = 'inbox.example.org';
const DAY_MS = 24 * 3_600_000;

describe('Inbound messages do not stay for ever', () => {
  let environment: Environment;
  let door: Door;
  before(async () => {
    environment = await startEnvironment({ DNS_SERVERS: '127.0.0.1:9', RETENTION_DAYS: '30' });
    const { deps, own } = environment;
    const _id = new ObjectId();
    await seedVerifiedDomain(deps, own.project, DOMAIN, _id);
    await deps.db.domains.updateOne({ _id, projectId: own.project._id }, { $set: { inboundEnabledAt: new Date() } });
    door = await openDoor(environment);
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
  });

  const messages = () => environment.deps.db.inboundMessages;
  const files = () => {
    const { mongo, config } = environment.deps;
    return new GridFSBucket(mongo.db(config.mongodbDatabase), { bucketName: 'attachments' }).find({}).toArray();
  };
  const list = async () => (await environment.own.client.get('/inbound/messages')).body.data.items;

  const letter = (from: string) =>
    `From: Ada Example <${from}>\nTo: desk@${DOMAIN}\nSubject: Private\nMessage-ID: <${new ObjectId()}@x.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nMy address is Oak Street 1.\n--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=ada.csv\n\nAda\n--b--\n`;

  async function bring(from: string, raw = letter(from)): Promise<string> {
    const before = (await list()).map(({ id }: { id: string }) => id);
    expect((await door.send({ from, to: `desk@${DOMAIN}`, raw })).data).to.match(/^250/);
    return (await list()).find(({ id }: { id: string }) => !before.includes(id)).id;
  }

  /** Runs what is due until nothing is. */
  async function look(): Promise<void> {
    const { deps, own } = environment;
    const loop = startQueues(deps, [inboundRemovals(deps)]);
    await loop.ready;
    await until(
      () => messages().countDocuments({ projectId: own.project._id, $expr: { $lte: ['$removeDueAt', '$$NOW'] } }),
      (due) => due === 0,
    );
    await loop.stop();
  }

  it('Deleting a contact takes address, names, texts and attachments out of what it wrote; the fact, a keyed hash and what others wrote stay.', async () => {
    const { own, deps } = environment;
    const projectId = own.project._id;
    await own.client.post('/webhooks', { url: 'https://hooks.example.com/', events: ['email.received'] });
    const contact = (await own.client.post('/contacts', { email: 'ada@sender.example.net' })).body.data;
    const [hers, others] = [await bring('ada@sender.example.net'), await bring('bob@sender.example.net')];
    const before = await messages().findOne({ _id: new ObjectId(hers), projectId });
    expect((await own.client.delete(`/contacts/${contact.id}`)).status).to.equal(200);
    await look();

    const left = (await own.client.get(`/inbound/messages/${hers}`)).body.data;
    expect(left).to.deep.include({ from: { email: '', name: null }, subject: '', text: null, html: null });
    expect(left).to.deep.include({ attachments: [], attachmentCount: 0, headers: {}, headerList: [] });
    expect(left).to.deep.include({ messageId: '', status: 'PROCESSED' });
    expect(left.threadId).to.equal(before?.threadId);
    const stored = await messages().findOne({ _id: new ObjectId(hers), projectId });
    expect(stored?.fromHash).to.match(/^[0-9a-f]{64}$/);
    // Ids and the hash are hexadecimal, where "ada" is a number.
    expect(JSON.stringify(stored).replace(/[0-9a-f]{24,}/g, '')).to.not.match(/ada|oak|private/i);
    expect(
      (await own.client.post(`/inbound/messages/${hers}/reply`, { from: { email: `desk@${DOMAIN}` } })).status,
    ).to.equal(404);
    expect((await own.client.get(`/inbound/messages/${others}`)).body.data.text).to.contain('Oak Street');
    expect(await files()).to.have.length(1);
    // Its entries in the project's log are removed as well.
    const event = await deps.db.projectEvents.findOne({ projectId, type: 'email.received', 'data.id': hers });
    expect(event?.eraseAt).to.be.instanceOf(Date);

    // The writer of a later mail is not a contact.
    const again = await bring('ada@sender.example.net');
    await look();
    expect((await own.client.get(`/inbound/messages/${again}`)).body.data.from.email).to.equal(
      'ada@sender.example.net',
    );
  });

  it('A mail that is delivered again after its message was erased brings no file back, and no event.', async () => {
    const { own, deps } = environment;
    const [from, projectId] = ['dora@sender.example.net', own.project._id];
    await own.client.post('/webhooks', { url: 'https://hooks.example.com/', events: ['email.received'] });
    const contact = (await own.client.post('/contacts', { email: from })).body.data;
    const raw = letter(from);
    const id = await bring(from, raw);
    expect((await own.client.delete(`/contacts/${contact.id}`)).status).to.equal(200);
    await look();
    const before = await files();
    const entries = { projectId, 'data.id': id };
    await deps.db.projectEvents.deleteMany(entries);
    expect((await door.send({ from, to: `desk@${DOMAIN}`, raw })).data).to.match(/^250/);
    expect(await files()).to.deep.equal(before);
    expect((await own.client.get(`/inbound/messages/${id}`)).body.data).to.deep.include({
      subject: '',
      attachments: [],
    });
    expect(await deps.db.projectEvents.countDocuments({ projectId, 'data.email': { $in: [from, ''] } })).to.equal(0);
    expect(await deps.db.inboundMessages.countDocuments({ projectId, 'from.email': from })).to.equal(0);
  });

  it('A message goes after RETENTION_DAYS, attachments with it, and not before, whatever its date says.', async () => {
    const { own, clock } = environment;
    const projectId = own.project._id;
    const id = await bring('cleo@sender.example.net');
    const _id = new ObjectId(id);
    const filesBefore = (await files()).length;
    const due = () => messages().updateOne({ _id, projectId }, [{ $set: { removeDueAt: '$$NOW' } }]);
    await due();
    await look();
    const kept = await messages().findOne({ _id, projectId });
    expect(kept?.subject).to.equal('Private');
    expect(kept?.removeDueAt?.getTime()).to.equal((kept?.receivedAt.getTime() ?? 0) + 30 * DAY_MS);
    clock.advance(31 * DAY_MS);
    await due();
    await look();
    expect(await messages().findOne({ _id, projectId })).to.equal(null);
    expect((await own.client.get(`/inbound/messages/${id}`)).status).to.equal(404);
    expect(await files()).to.have.length(filesBefore - 1);
  });
});
