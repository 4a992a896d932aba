import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { previewAudience } from '../../../core/campaigns/audience/preview.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { recomputeSegment, SETTLE_MS } from '../../../core/people/lists/recompute.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { profiled } from '../../support/profile.ts';
import { until } from '../../support/wait.ts';

interface Audience {
  toLists?: string[];
  excludeLists?: string[];
  sendToGlobalList?: boolean;
  unsubscribeGroupId?: string | null;
}

describe('POST /campaigns/audience', function () {
  this.timeout(60_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  let client: Tenant['client'];
  const lists: string[] = [];
  const segments: string[] = [];
  let group: string;

  const emails = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => `p${from + index * step}@example.org`);
  const ask = (body: Audience, who = client) => who.post('/campaigns/audience', body);
  /** Asked again when a pause of the machine has used up the time that it may take. */
  const askInTime = (body: Audience) =>
    until(
      () => ask(body),
      ({ status, body: answer }) => status !== 200 || answer.data.isExact,
    );
  const suppress = (some: string[], fields: object) =>
    client.post('/suppression-groups/emails/suppress', { emails: some, ...fields });

  before(async () => {
    tenant = await environment.newTenant('Counted');
    client = tenant.client;
    const parts: Array<[number, number, number]> = [
      [0, 60, 1],
      [30, 120, 1],
      [0, 120, 7],
    ];
    for (const part of parts) {
      const { body } = await client.post('/contact-lists', { name: `L${part}` });
      lists.push(body.data.id);
      await client.post('/contact-lists/contacts/bulk-add', { contactListId: body.data.id, emails: emails(...part) });
    }
    await client.post('/contact-lists/contacts/bulk-add', {
      contactListId: 'GLOBAL_CONTACT_LIST',
      emails: emails(120, 140),
    });
    for (const value of ['p1', '5']) {
      const filterCriteria = { groups: [{ field: 'email', operator: 'contains', value }] };
      const { body } = await client.post('/contact-lists', { name: value, type: 'segment', filterCriteria });
      segments.push(body.data.id);
    }
    environment.clock.advance(SETTLE_MS);
    await recomputeAll();
    group = (await client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    // Some of them are no contacts, some are in several groups.
    await suppress([...emails(10, 140, 9), 'nobody@example.org'], { isGlobal: true, reason: 'BOUNCE' });
    await suppress(emails(10, 140, 6), { groupId: group, reason: 'UNSUBSCRIBE' });
    await suppress(emails(10, 140, 4), { reason: 'UNSUBSCRIBE' });
  });

  async function recomputeAll(): Promise<void> {
    const projectId = tenant.project._id;
    for (let pass = 0; pass < 3; pass += 1) {
      const found = await environment.deps.db.contactLists.find({ projectId, type: 'segment' }).toArray();
      for (const { _id } of found) await recomputeSegment(environment.deps, projectId, _id, { timeMs: 5_000 });
      environment.clock.advance(SETTLE_MS);
    }
  }

  /** The numbers of a freeze at this moment. */
  async function frozen(fields: Audience) {
    const { deps } = environment;
    const { body, status, text } = await client.post('/campaigns', {
      name: 'C',
      subject: 'S',
      htmlTemplate: '<p>x</p>',
      publish: false,
      ...fields,
    });
    expect(status, text).to.equal(200);
    const named = { projectId: tenant.project._id, name: 'C' };
    const campaign = await deps.db.campaigns.findOne({ ...named, _id: new ObjectId(body.data.id as string) });
    await freezeAudience(deps, campaign!, { signal: new AbortController().signal, onProgress() {} });
    const after = await deps.db.campaigns.findOne({ ...named, _id: new ObjectId(body.data.id as string) });
    const { total, inBlocks } = after!.freeze!.frozen!;
    return { total, suppressed: total - inBlocks, willReceive: inBlocks, isExact: true };
  }

  const GLOBAL = 'GLOBAL_CONTACT_LIST';
  const audiences: Array<[string, () => Audience]> = [
    ['one list', () => ({ toLists: [lists[0]!] })],
    ['one segment', () => ({ toLists: [segments[0]!] })],
    ['everybody', () => ({ sendToGlobalList: true })],
    ['everybody by name, and a list that adds nobody', () => ({ toLists: [GLOBAL, lists[0]!] })],
    ['lists that overlap', () => ({ toLists: lists })],
    ['segments that overlap', () => ({ toLists: segments })],
    ['lists and segments', () => ({ toLists: [lists[2]!, ...segments] })],
    ['one list less another', () => ({ toLists: [lists[1]!], excludeLists: [lists[0]!] })],
    ['a small list less a large one', () => ({ toLists: [lists[2]!], excludeLists: [lists[1]!] })],
    ['everybody less lists and segments', () => ({ toLists: [GLOBAL], excludeLists: [lists[0]!, ...segments] })],
    ['lists less segments', () => ({ toLists: lists.slice(0, 2), excludeLists: segments })],
    ['all less all', () => ({ toLists: [...lists, ...segments], excludeLists: [...segments, ...lists] })],
    ['nobody', () => ({ toLists: [] })],
  ];

  for (const [title, of] of audiences)
    for (const named of [false, true])
      it(`counts what a freeze writes down: ${title}${named ? ', for a group' : ''}`, async () => {
        const audience = { ...of(), unsubscribeGroupId: named ? group : null };
        const { status, body, text } = await askInTime(audience);
        expect(status, text).to.equal(200);
        expect(body.data).to.deep.equal(await frozen(audience));
      });

  it('counts a list of few people, all of them suppressed, by its people', async () => {
    const few = (await client.post('/contact-lists', { name: 'Few' })).body.data.id;
    await client.post('/contact-lists/contacts/bulk-add', { contactListId: few, emails: emails(10, 46, 9) });
    expect((await askInTime({ toLists: [few] })).body.data).to.deep.equal({
      ...{ total: 4, suppressed: 4, willReceive: 0, isExact: true },
    });
    expect((await askInTime({ toLists: [few] })).body.data).to.deep.equal(await frozen({ toLists: [few] }));
  });

  it('says that it is not exact when the time was too short, or a segment is being computed', async () => {
    const signal = new AbortController().signal;
    const asked = { toLists: lists };
    const short = await previewAudience(environment.deps, tenant.project, asked, { signal, timeMs: 0 });
    expect(short.isExact).to.equal(false);
    expect(short.total).to.be.at.least(short.willReceive);
    const filterCriteria = { groups: [{ field: 'email', operator: 'contains', value: 'p' }] };
    const { body } = await client.post('/contact-lists', { name: 'New', type: 'segment', filterCriteria });
    expect((await ask({ toLists: [body.data.id] })).body.data.isExact).to.equal(false);
    await recomputeAll();
    expect((await askInTime({ toLists: [body.data.id] })).body.data.isExact).to.equal(true);
  });

  it('runs twice at a time for a project, then answers 429 until one has ended; previews have places of their own', async () => {
    const { db, clock } = environment.deps;
    const projectId = tenant.project._id;
    const until_ = new Date(clock.now().getTime() + 60_000);
    const ids = [0, 1].map((slot) => `${projectId.toHexString()}:audience:${slot}`);
    for (const _id of ids)
      await db.previewSlots.updateOne({ _id, projectId }, { $set: { until: until_ } }, { upsert: true });
    const refused = await ask({ toLists: lists });
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'RATE_LIMIT_EXCEEDED']);
    expect(refused.headers.get('retry-after')).to.equal('1');
    const filterCriteria = { groups: [{ field: 'email', operator: 'contains', value: 'p' }] };
    expect((await client.post('/contact-lists/preview', { filterCriteria })).status).to.equal(200);
    await db.previewSlots.updateOne({ _id: ids[1]!, projectId }, { $set: { until: new Date(0) } });
    expect((await ask({ toLists: lists })).status).to.equal(200);
    expect((await ask({ toLists: lists })).status, 'the place is free again').to.equal(200);
    await db.previewSlots.deleteMany({ projectId });
  });

  it('names what is not there, and shows nothing of another project', async () => {
    const theirs = (await environment.other.client.post('/contact-lists', { name: 'Theirs' })).body.data.id;
    const random = 'fedcba9876543210fedcba98';
    const [foreign, unknown] = [await ask({ toLists: [theirs] }), await ask({ toLists: [random] })];
    expect(foreign.status).to.equal(404);
    expect(foreign.text).to.equal(unknown.text);
    const faults: Array<[Audience, number, string]> = [
      [{ excludeLists: [random] }, 404, 'excludeLists'],
      [{ excludeLists: [GLOBAL] }, 400, 'excludeLists'],
      [{ toLists: lists, unsubscribeGroupId: 'NOBODY' }, 404, 'unsubscribeGroupId'],
      [{ toLists: 'x' as unknown as string[] }, 400, 'toLists'],
      [{ sendToGlobalList: 'perhaps' as unknown as boolean }, 400, 'sendToGlobalList'],
    ];
    for (const [body, status, field] of faults) {
      const answer = await ask(body);
      expect(answer.status, field).to.equal(status);
      expect(answer.body.error.details, field).to.contain(field);
    }
    expect(await environment.deps.db.previewSlots.countDocuments({ until: { $gt: new Date() } })).to.equal(0);
  });

  it('reads no contact to count lists, and none of those that are not suppressed', async () => {
    const { deps } = environment;
    const profile = await profiled(deps, async () => {
      await ask({ toLists: lists });
      await ask({ toLists: [lists[0]!] });
    });
    const reads = profile.filter(({ ns }) => ns.endsWith('.contacts'));
    expect(reads.length).to.be.greaterThan(0);
    for (const { planSummary, docsExamined } of reads) {
      expect(planSummary).to.match(/^IXSCAN|^COUNT_SCAN/);
      expect(docsExamined, planSummary).to.be.below(60);
    }
    const counts = reads.filter(({ planSummary }) => planSummary.includes('listIds: 1'));
    expect(counts.map(({ docsExamined }) => docsExamined)).to.deep.equal([0]);
  });
});
