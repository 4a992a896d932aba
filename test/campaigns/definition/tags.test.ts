import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { settleCampaignOrphans } from '../../../core/campaigns/run/orphans.ts';
import { countProject } from '../../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../../core/figures/reports/counting/recount.ts';
import { openStream } from '../../feed/support.ts';
import { HTML, SENDER, useHands } from '../support.ts';

const TAGS = [
  { name: 'kind', value: 'news' },
  { name: 'season', value: 'spring' },
];
const STORED = ['kind:news', 'season:spring'];

describe('Tags of a campaign', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands({ perTest: { connectionsMax: null } });

  const list = (count: number, name: string) => stage.list(count, (i) => `${name}${i}@example.org`);
  const frozen = async (fields: object) => {
    const id = await stage.launch(fields);
    await hands.advance(id);
    await hands.freeze(id);
    return id;
  };
  const emails = async (query: string) => {
    const { status, body, text } = await stage.own.client.get(`/emails?limit=100&${query}`);
    expect(status, text).to.equal(200);
    expect(body.data.pagination.total).to.equal(body.data.emails.length);
    return body.data.emails as Array<{ email: string; tags: object[]; status: string; campaignId: string }>;
  };
  const series = async (tag: string) => {
    const { status, body, text } = await stage.own.client.get(`/reports/series?interval=day&tag=${tag}`);
    expect(status, text).to.equal(200);
    const sum = (name: string) =>
      body.data.points.reduce((all: number, point: Record<string, number>) => all + point[name]!, 0);
    return { accepted: sum('accepted'), sent: sum('sent'), delivered: sum('delivered'), bounced: sum('bounced') };
  };
  const count = () => countProject(stage.deps, stage.own.project._id);

  it('are kept as given, changed in a draft, copied to a duplicate, and refused as those of a mail are', async () => {
    const made = await stage.create({ tags: TAGS });
    expect(made.body.data.tags).to.deep.equal(TAGS);
    const { id } = made.body.data;
    const changed = await stage.own.client.patch(`/campaigns/${id}`, { tags: [TAGS[1]] });
    expect(changed.body.data.tags).to.deep.equal([TAGS[1]]);
    expect((await stage.own.client.patch(`/campaigns/${id}`, { name: 'Other' })).body.data.tags).to.have.length(1);
    expect((await stage.act(id, 'duplicate', {})).body.data.tags).to.deep.equal([TAGS[1]]);
    expect((await stage.own.client.patch(`/campaigns/${id}`, { tags: [] })).body.data.tags).to.deep.equal([]);
    expect((await stage.create({})).body.data.tags).to.deep.equal([]);
    for (const [tags, details] of [
      [[...TAGS, { name: 'kind', value: 'x' }], 'tags: has the name kind twice'],
      [Array(11).fill(TAGS[0]), 'tags: must hold 10 entries at most'],
      [[{ name: 'a b', value: 'x' }], 'tags/0/name: must be 1 to 64 letters'],
    ] as const)
      for (const { status, body } of [
        await stage.create({ tags }),
        await stage.own.client.patch(`/campaigns/${id}`, { tags }),
      ]) {
        expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(body.error.details).to.contain(details);
      }
  });

  it('find its mails: suppressed, sent, refused and deferred ones by the tag alone, and with campaignId those that wait', async () => {
    await stage.own.client.post('/suppression-groups/emails/suppress', {
      emails: ['found0@example.org'],
      isGlobal: true,
      reason: 'BOUNCE',
    });
    const audience = await stage.list(6, (i) =>
      i === 1
        ? 'perm-rcpt-550-5.1.1+found@example.org'
        : i === 2
          ? 'temp-rcpt-450-4.2.0@example.org'
          : `found${i}@example.org`,
    );
    const tags = [{ name: 'find', value: 'these' }];
    const id = await frozen({ toLists: [audience], tags });
    const other = await frozen({ toLists: [audience], tags: [{ name: 'find', value: 'others' }] });
    expect((await emails('tag=find:these')).map(({ email }) => email)).to.deep.equal(['found0@example.org']);
    const waiting = await emails(`tag=find:these&campaignId=${id}`);
    expect(waiting).to.have.length(6);
    for (const mail of waiting) expect(mail.tags).to.deep.equal(tags);
    expect(await emails(`tag=find:these&campaignId=${other}`)).to.have.length(0);
    expect(await emails('tag=find:these&campaignId=000000000000000000000000')).to.have.length(0);
    await hands.page(id, {});
    const all = await emails('tag=find:these');
    expect(all).to.have.length(6);
    for (const mail of all) expect([mail.tags, mail.campaignId]).to.deep.equal([tags, id]);
    const statuses = new Set(all.map(({ status }) => status));
    expect([...statuses].sort()).to.deep.equal(['bounced', 'deferred', 'sent', 'suppressed']);
    expect(await emails('tag=find:these&status=deferred')).to.have.length(1);
    for (const row of await stage.messages(id)) expect(row.tags).to.deep.equal(['find:these']);
  });

  it('are on the rows that another process writes for one that died', async () => {
    const id = await frozen({ toLists: [await list(3, 'lost')], tags: TAGS });
    const { freeze } = await stage.stored(id);
    const { projectId } = await stage.stored(id);
    const at = new Date(Date.now() - 60_000);
    await stage.deps.db.campaignClaims.insertOne({
      ...{ _id: new ObjectId(), projectId, campaignId: new ObjectId(id), n: 0, from: 0, to: 3, fromSeq: 1 },
      ...{ frozenAt: freeze!.at, owner: new ObjectId().toHexString(), claimedAt: at, leaseUntil: at },
    });
    const deps = { ...stage.deps, log: { ...stage.deps.log, warn() {} } };
    await settleCampaignOrphans(deps, await stage.stored(id));
    const rows = await stage.messages(id);
    expect(rows.map(({ tags }) => tags)).to.deep.equal([STORED, STORED, STORED]);
  });

  it('are in the events of its mails', async () => {
    const stream = await openStream(stage.environment, stage.own.projectKey, '/stream?types=email.sent,email.bounced');
    try {
      const audience = await stage.list(2, (i) =>
        i === 0 ? 'perm-rcpt-550-5.1.1+told@example.org' : 'told@example.org',
      );
      const id = await frozen({ toLists: [audience], tags: TAGS });
      await hands.page(id, {});
      for (const email of ['perm-rcpt-550-5.1.1+told@example.org', 'told@example.org']) {
        const isIt = (one: { data: { data: Record<string, unknown> } }) =>
          one.data.data.campaignId === id && one.data.data.email === email;
        const event = (await stream.until(isIt)).find(isIt)!;
        expect(event.data.data.tags).to.deep.equal(TAGS);
      }
    } finally {
      await stream.close();
    }
  });

  it('are a part of the series: all its recipients, the same after a recount, and after it was deleted', async () => {
    const audience = await stage.list(5, (i) =>
      i === 0 ? 'perm-rcpt-550-5.1.1+series@example.org' : `series${i}@example.org`,
    );
    const tag = { name: 'series', value: 'one' };
    const id = await frozen({ toLists: [audience], tags: [tag] });
    await stage.own.client.post('/mails/send', {
      ...{ from: { email: SENDER }, to: { email: 'single@example.org' }, subject: 's', html: HTML },
      tags: [tag, { name: 'single', value: 'yes' }],
    });
    await stage.deps.db.messages.updateMany({ tags: 'single:yes' }, { $set: { countDueAt: new Date(0) } });
    await count();
    expect(await series('series:one')).to.deep.equal({ accepted: 6, sent: 0, delivered: 0, bounced: 0 });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.own.client.delete(`/campaigns/${id}`)).status).to.equal(200);
    await count();
    const expected = { accepted: 6, sent: 5, delivered: 4, bounced: 1 };
    expect(await series('series:one')).to.deep.equal(expected);
    expect(await series('single:yes')).to.deep.equal({ accepted: 1, sent: 0, delivered: 0, bounced: 0 });
    expect(await series('series:two')).to.deep.equal({ accepted: 0, sent: 0, delivered: 0, bounced: 0 });
    expect((await recountProject(stage.deps, stage.own.project)).kind).to.equal('recounted');
    // The audience of a deleted campaign is not in the ledger any more.
    expect(await series('series:one')).to.deep.equal({ ...expected, accepted: 1 });
  });
});
