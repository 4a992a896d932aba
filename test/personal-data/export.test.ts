import { expect } from 'chai';
import { type Document, ObjectId } from 'mongodb';
import { eventQueue, triggerQueue } from '../../core/automations/enrollments/enroll.ts';
import { seriesCounts } from '../../core/figures/reports/counting/count.ts';
import { inboundRemovals } from '../../core/inbound/removals.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { factCounts } from '../../core/people/behaviour/count.ts';
import { exportPerson, personOfAddress } from '../../core/persons-own/personal-data/export.ts';
import type { PersonalData } from '../../core/persons-own/personal-data/model.ts';
import { personalData } from '../../core/persons-own/personal-data/table.ts';
import { indexes } from '../../platform/mongo/indexes.ts';
import { type Post, startPost } from '../delivery/support.ts';
import { ADDRESS, fillWithPerson, NAME, OTHER, WORDS } from './person.ts';
import { runRounds } from './rounds.ts';
import { collectionNames, says, searchDatabase } from './search.ts';

const { attachmentFiles, attachmentChunks, ...others } = personalData;
const table: Record<string, PersonalData> = {
  ...others,
  'attachments.files': attachmentFiles,
  'attachments.chunks': attachmentChunks,
};
/** Parts of the file whose rows are made of a part of a document. */
const MADE_OF_PARTS = new Set(['audiences', 'migrationNotes', 'migrationMarks']);
/** Lists have names of their own; the person is in them by the contact. */
const WITHOUT_NAMES = new Set(['contactLists']);

describe('The data of a person', function () {
  this.timeout(180_000);
  let post: Post;
  let id: string;
  before(async () => {
    post = await startPost();
    id = await fillWithPerson(post);
    await working(() =>
      deps()
        .db.contactFacts.countDocuments({ kind: 'event' })
        .then((facts) => facts > 0),
    );
  });
  after(() => post.stop());

  const deps = () => post.environment.deps;
  const dataOf = (contactId: string) => post.own.client.get(`/contacts/${contactId}/data`);

  /** The queues that need no Temporal. */
  const working = (isDone: () => Promise<boolean>) =>
    runRounds(deps(), [factCounts, messageErasures, inboundRemovals, triggerQueue, eventQueue, seriesCounts], isDone);

  const missing = async () => (await collectionNames(deps())).filter((name) => !Object.hasOwn(table, name));

  it('is described for each collection of the database; a collection that is not described is found', async () => {
    expect(await missing()).to.deep.equal([]);
    const { mongo, config } = deps();
    const strangers = mongo.db(config.mongodbDatabase).collection('strangers');
    await strangers.insertOne({ of: { a: [{ person: `<${ADDRESS}>` }] } });
    expect(await missing()).to.deep.equal(['strangers']);
    expect([...(await searchDatabase(deps(), WORDS)).keys()]).to.include('strangers');
    await strangers.drop();
  });

  it('has a part for each collection that names the person, or the table has a reason', async () => {
    // First: a document that is written later need not be in the file.
    const found = await searchDatabase(deps(), WORDS);
    const { status, body, headers } = await dataOf(id);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="personal-data.json"');
    expect([...found].flatMap(([name, docs]) => faultsOf(name, docs, body))).to.deep.equal([]);
    const exported = Object.entries(table).filter(([, entry]) => 'section' in entry);
    const unnamed = exported.map(([name]) => name).filter((name) => !found.has(name) && !WITHOUT_NAMES.has(name));
    expect(unnamed, 'the scenario has the person in each of them').to.deep.equal([]);
    expect(body.lists.map(({ name }: Document) => name)).to.include('Readers');
  });

  function faultsOf(name: string, docs: Document[], file: Document): string[] {
    const entry = table[name];
    if (!entry) return [`${name} is not in the table`];
    if ('nameless' in entry) return [`${name} names the person`];
    if ('leftOut' in entry) return [];
    const rows: Document[] = file[entry.section];
    if (MADE_OF_PARTS.has(entry.section)) return rows.length === docs.length ? [] : [`${entry.section} is not whole`];
    const ids = new Set(rows.map((row) => row.id));
    return docs.filter(({ _id }) => !ids.has(`${_id}`)).map(({ _id }) => `${name} ${_id} is not in ${entry.section}`);
  }

  it('has no address of another person, no hash, and no secret', async () => {
    const { text, body } = await dataOf(id);
    expect(text).to.contain(NAME);
    expect(says(text, [OTHER, 'somebody else'])).to.equal(false);
    const shared = body.messages.find(({ kind }: Document) => kind === 'cc');
    expect(shared).to.include({ email: ADDRESS, status: 'sent' });
    expect(text).to.not.match(/"(emailHash|hash|fromHash|dedupe|secret|sealed|token|projectId|owner)"/);
  });

  it('is written row by row, however much there is', async () => {
    const email = 'many.mails@people.test';
    const projectId = post.own.project._id;
    const rows = Array.from({ length: 2_000 }, () => ({
      ...{ _id: new ObjectId(), projectId, lane: 'campaign' as const, state: 'sent' as const, email },
      ...{ createdAt: new Date(), sentAt: new Date(), subject: 'Hello' },
    }));
    await deps().db.messages.insertMany(rows);
    const person = await personOfAddress(deps(), projectId, email);
    const counts: number[] = [];
    let whole = '';
    for await (const piece of exportPerson(deps(), post.own.project, person)) {
      counts.push(piece.split('"subject"').length - 1);
      whole += piece;
    }
    expect(Math.max(...counts)).to.equal(1);
    expect(JSON.parse(whole).messages).to.have.length(2_000);
  });

  it('is empty but for the address where nothing is stored', async () => {
    const person = await personOfAddress(deps(), post.own.project._id, 'never.seen@people.test');
    let text = '';
    for await (const piece of exportPerson(deps(), post.own.project, person)) text += piece;
    const { project, email, madeAt, ...parts } = JSON.parse(text);
    expect([project, email, typeof madeAt]).to.deep.equal([post.own.project.name, 'never.seen@people.test', 'string']);
    expect(Object.values(parts).flat()).to.deep.equal([]);
  });

  it('of another project is not found', async () => {
    const { status } = await post.environment.other.client.get(`/contacts/${id}/data`);
    expect(status).to.equal(404);
  });

  describe('whose contact is deleted', () => {
    it('is nowhere any more a day later, but where the table says until when, or why', async () => {
      expect((await post.own.client.delete(`/contacts/${id}`)).status).to.equal(200);
      const { contacts } = deps().db;
      let left: string[] = [];
      await working(async () => {
        left = [...(await searchDatabase(deps(), WORDS))].flatMap(([name, docs]) => remains(name, docs));
        return left.length === 0;
      }).catch((error: Error) => expect(left, error.message).to.deep.equal([]));
      expect(await contacts.countDocuments({ email: ADDRESS })).to.equal(0);
      const kept = [...(await searchDatabase(deps(), WORDS)).keys()];
      const unending = kept.filter((name) => removalOf(name)?.by === 'nothing');
      expect(unending).to.deep.equal(['suppressions']);
    });

    it('leaves the mails, acts and consents of the person without an address', async () => {
      const projectId = post.own.project._id;
      const { messages, engagements } = deps().db;
      expect(await messages.countDocuments({ projectId, emailHash: { $exists: true } })).to.be.at.least(3);
      expect(await engagements.countDocuments({ projectId, clickCount: { $gt: 0 } })).to.equal(1);
    });
  });

  function removalOf(name: string) {
    const entry = table[name];
    return entry && 'removal' in entry ? entry.removal : null;
  }

  function remains(name: string, docs: Document[]): string[] {
    const removal = removalOf(name);
    if (removal?.by === 'nothing') return [];
    if (removal?.by !== 'expiry') return [`${docs.length} documents of ${name}`];
    const { field } = removal;
    const isTtl = indexes.some(
      ({ on, key, options }) => on === name && field in key && options.expireAfterSeconds !== undefined,
    );
    if (!isTtl) return [`${name} has no TTL index on ${field}`];
    const lasting = docs.filter((doc) => !(doc[field] instanceof Date));
    return lasting.map(({ _id }) => `${name} ${_id} has no ${field}`);
  }
});
