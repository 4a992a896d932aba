import { expect } from 'chai';
import { type Document, ObjectId } from 'mongodb';
import { openToken } from '../../../core/mail/compose/tokens.ts';
import { type Signal, writeSignals } from '../../../core/mail/feedback/engagements.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import type { MessageState } from '../../../core/mail/ledger/states.ts';
import type { Engagement } from '../../../core/mail/messages/model.ts';
import { BROWSER, bareCampaign, engagementWith } from '../../feedback/support.ts';
import { useEnvironment } from '../../support/environment.ts';
import { profiled } from '../../support/profile.ts';
import { useHands } from '../support.ts';

const DAY_MS = 24 * 3_600_000;
const URLS = ['https://shop.example.com/a', 'https://shop.example.com/b?x=1&y=2'];
const MACHINE = 'Barracuda Sentinel (EE)';
type Person = Record<string, string | null>;
type Known = { row: Message; engagement: Engagement | undefined };

/** The figures, counted once more from the documents themselves. */
const recount: Record<string, (known: Known) => boolean> = {
  sent: ({ row }) => row.state === 'sent' || row.state === 'bounced',
  bounced: ({ row }) => row.state === 'bounced',
  opened: ({ engagement }) => engagement?.openedAt !== undefined,
  humanOpened: ({ engagement }) => engagement?.humanOpenedAt !== undefined,
  clicked: ({ engagement }) => engagement?.clickedAt !== undefined,
  unsubscribed: ({ engagement }) => engagement?.unsubscribedAt !== undefined,
  complained: ({ engagement }) => engagement?.complainedAt !== undefined,
  notOpened: ({ row, engagement }) => row.state === 'sent' && engagement?.openedAt === undefined,
  notClicked: ({ row, engagement }) => row.state === 'sent' && engagement?.clickedAt === undefined,
  failed: ({ row }) => row.state === 'failed',
  suppressed: ({ row }) => row.state === 'suppressed',
  unknown: ({ row }) => row.state === 'unknown',
};
const FIGURES = Object.keys(recount);

describe('People behind a figure of a campaign', function () {
  this.timeout(60_000);
  const environment = useEnvironment({ PUBLIC_RATE_LIMIT: '100000' });
  const get = async (campaignId: unknown, query: string) =>
    environment.own.client.get(`/campaigns/${campaignId}/people?${query}`);

  async function campaignOf(people: number, state: (index: number) => MessageState): Promise<ObjectId> {
    const { deps, own } = environment;
    const freeze = { at: deps.clock.now(), written: people, isDone: true, frozen: null };
    const { _id } = await bareCampaign(environment, own, {
      freeze,
      updatedAt: deps.clock.now(),
      counts: { unknown: 1, pending: 0 } as never,
    });
    const at = new Date(deps.clock.now().getTime() - 3_600_000);
    const rows = Array.from({ length: people }, (_, index): Message => {
      const email = `p${index}@example.com`;
      const ids = { _id: new ObjectId(), projectId: own.project._id, campaignId: _id, contactId: new ObjectId() };
      const one = state(index);
      // As the freeze numbers them.
      const seq = one === 'suppressed' ? -index - 1 : index + 1;
      return { ...ids, lane: 'campaign', state: one, email, seq, sentAt: at };
    });
    await deps.db.messages.insertMany(rows);
    return _id;
  }

  const rowsOf = (campaignId: ObjectId) =>
    environment.deps.db.messages
      .find({ campaignId, projectId: environment.own.project._id })
      .sort({ seq: 1 })
      .toArray();

  async function knownOf(campaignId: ObjectId): Promise<Known[]> {
    const own = { campaignId, projectId: environment.own.project._id };
    const engagements = await environment.deps.db.engagements.find(own).toArray();
    const byId = new Map(engagements.map((one) => [`${one._id}`, one]));
    return (await rowsOf(campaignId)).map((row) => ({ row, engagement: byId.get(`${row._id}`) }));
  }

  /** Every page of a list. */
  async function all(campaignId: ObjectId, query: string, limit = 37): Promise<{ people: Person[]; total: number }> {
    const people: Person[] = [];
    for (let page = 1; ; page += 1) {
      const { data } = (await get(campaignId, `${query}&limit=${limit}&page=${page}`)).body;
      people.push(...data.people);
      if (page >= data.pagination.pages) return { people, total: data.pagination.total };
    }
  }

  function randomSignals(rows: Message[], some: () => number): Signal[] {
    return rows.flatMap(({ _id: messageId, projectId }) => {
      const own = { projectId, messageId };
      const at = () => new Date(Date.now() - Math.floor(some() * 3_000_000));
      const open = (agent: string): Signal => ({ kind: 'open', ...own, at: at(), agent, purpose: '', method: 'GET' });
      return [
        ...(some() < 0.2 ? [open(MACHINE)] : []),
        ...(some() < 0.2 ? [open(BROWSER)] : []),
        ...URLS.flatMap((url): Signal[] =>
          some() < 0.15 ? [{ kind: 'click', ...own, at: at(), url, agent: BROWSER }] : [],
        ),
        ...(some() < 0.05 ? [{ kind: 'unsubscribe' as const, ...own, at: at(), reason: 'link' }] : []),
        ...(some() < 0.03 ? [{ kind: 'complaint' as const, ...own, at: at(), reason: 'report' }] : []),
      ];
    });
  }

  it('each list, page by page and as a file, is a plain recount of random engagements', async () => {
    const some = random(7);
    const rest: MessageState[] = ['bounced', 'failed', 'deferred', 'queued', 'suppressed', 'unknown'];
    const choices: MessageState[] = ['sent', 'sent', 'sent', 'sent', 'sent', ...rest];
    const campaignId = await campaignOf(2_300, () => choices[Math.floor(some() * choices.length)] as MessageState);
    const others = await campaignOf(50, () => 'sent');
    for (const id of [campaignId, others]) {
      const signals = randomSignals(await rowsOf(id), some);
      for (let from = 0; from < signals.length; from += 500)
        await writeSignals(environment.deps, signals.slice(from, from + 500));
    }
    const known = await knownOf(campaignId);
    for (const did of FIGURES) {
      const wanted = known.filter((one) => recount[did]?.(one)).map(({ row }) => `${row._id}`);
      expect(wanted.length, did).to.be.greaterThan(20);
      const { people, total } = await all(campaignId, `did=${did}`, 100);
      expect(total, did).to.equal(wanted.length);
      const ids = people.map(({ emailId }) => emailId);
      expect(ids, `${did}: nobody twice`).to.have.length(new Set(ids).size);
      expect(ids.sort(), did).to.deep.equal(wanted.sort());
      const file = await environment.own.client.get(`/campaigns/${campaignId}/people/export?did=${did}&format=ndjson`);
      const lines: Person[] = file.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ emailId }) => emailId).sort(), did).to.deep.equal(wanted);
    }
    for (const url of URLS) {
      const wanted = known.filter(({ engagement }) => engagement?.clicks?.some((click) => click.url === url));
      const { people, total } = await all(campaignId, `did=clicked&url=${encodeURIComponent(url)}`);
      expect([total, people.length]).to.deep.equal([wanted.length, wanted.length]);
      expect(new Set(people.map(({ emailId }) => emailId))).to.deep.equal(
        new Set(wanted.map(({ row }) => `${row._id}`)),
      );
    }
  });

  it('lists who clicked a personal link by its position, each mail once, the last click first', async () => {
    const campaignId = await campaignOf(5, () => 'sent');
    const rows = await rowsOf(campaignId);
    const click = (index: number, minutesAgo: number, link: number, more = ''): Signal => {
      const { _id: messageId, projectId, email } = rows[index] as Message;
      const url = `https://shop.example.com/?for=${email}${more}`;
      return {
        kind: 'click',
        projectId,
        messageId,
        link,
        at: new Date(Date.now() - minutesAgo * 60_000),
        url,
        agent: BROWSER,
      };
    };
    await writeSignals(environment.deps, [click(1, 30, 3), click(3, 10, 3), click(3, 5, 3, '&2'), click(0, 20, 2)]);
    const path = `did=clicked&position=3`;
    const { data } = (await get(campaignId, path)).body;
    expect(data.people.map(({ email }: Person) => email)).to.deep.equal(['p3@example.com', 'p1@example.com']);
    expect(data.pagination.total).to.equal(2);
    const file = await environment.own.client.get(`/campaigns/${campaignId}/people/export?${path}`);
    expect(file.text.trim().split('\n')).to.have.length(3);
    expect((await get(campaignId, 'did=clicked&position=4')).body.data.pagination.total).to.equal(0);
  });

  it('a page has people in their order: the last click first, and those who did not open as they were sent', async () => {
    const campaignId = await campaignOf(5, () => 'sent');
    const rows = await rowsOf(campaignId);
    const click = (index: number, minutesAgo: number): Signal => {
      const { _id: messageId, projectId } = rows[index] as Message;
      const at = new Date(Date.now() - minutesAgo * 60_000);
      return { kind: 'click', projectId, messageId, at, url: URLS[0] as string, agent: BROWSER };
    };
    await writeSignals(environment.deps, [click(1, 30), click(3, 10), click(0, 20)]);
    const emails = async (query: string) =>
      (await get(campaignId, query)).body.data.people.map(({ email }: Person) => email);
    expect(await emails('did=clicked')).to.deep.equal(['p3@example.com', 'p0@example.com', 'p1@example.com']);
    expect(await emails('did=clicked&limit=1&page=2')).to.deep.equal(['p0@example.com']);
    expect(await emails('did=notClicked')).to.deep.equal(['p2@example.com', 'p4@example.com']);
    expect(await emails('did=notOpened&limit=2&page=3')).to.deep.equal(['p4@example.com']);
  });

  it('an erased person is counted and has no address, in pages and in the file', async () => {
    const campaignId = await campaignOf(2, () => 'sent');
    const { db } = environment.deps;
    const projectId = environment.own.project._id;
    await db.messages.updateOne({ campaignId, projectId, seq: 1 }, { $set: { email: '', emailHash: 'h' } });
    const { data } = (await get(campaignId, 'did=notOpened')).body;
    expect(data.pagination.total).to.equal(2);
    expect(data.people.map(({ email }: Person) => email)).to.deep.equal([null, 'p1@example.com']);
    const file = await environment.own.client.get(`/campaigns/${campaignId}/people/export?did=sent`);
    expect(file.headers.get('content-disposition')).to.equal('attachment; filename="people-sent.csv"');
    const [columns, erased] = file.text.split('\r\n').map((line) => line.split(','));
    expect(erased?.[columns?.indexOf('email') ?? -1]).to.equal('');
  });

  it('the file defuses addresses that a spreadsheet would calculate', async () => {
    const campaignId = await campaignOf(1, () => 'sent');
    const own = { campaignId, projectId: environment.own.project._id };
    await environment.deps.db.messages.updateOne(own, { $set: { email: '=1+1@example.com' } });
    const file = await environment.own.client.get(`/campaigns/${campaignId}/people/export?did=sent`);
    expect(file.text).to.contain(",'=1+1@example.com,");
  });

  it('says until when the people are kept', async () => {
    const campaignId = await campaignOf(1, () => 'sent');
    const { freeze } = (await environment.deps.db.campaigns.findOne({ _id: campaignId }))!;
    const kept = new Date(freeze!.at.getTime() + environment.deps.config.retentionDays * DAY_MS);
    expect((await get(campaignId, 'did=opened')).body.data.keptUntil).to.equal(kept.toISOString());
    const draft = await environment.own.client.post('/campaigns', {
      name: 'D',
      subject: 'S',
      htmlTemplate: '<p>x</p>',
    });
    const { data } = (await get(draft.body.data.id, 'did=notOpened')).body;
    expect(data).to.deep.equal({ people: [], pagination: { page: 1, limit: 20, total: 0, pages: 0 }, keptUntil: null });
  });

  it('a stored count serves only where it is final', async () => {
    const campaignId = await campaignOf(3, () => 'sent');
    const { db } = environment.deps;
    const store = (counts: object) =>
      db.campaigns.updateOne(
        { _id: campaignId, projectId: environment.own.project._id },
        { $set: { counts } as never },
      );
    const total = async () => (await get(campaignId, 'did=sent')).body.data.pagination.total;
    await store({ sent: 70, unknown: 1, pending: 0 });
    expect(await total(), 'an open may still turn an unknown one into a sent one').to.equal(3);
    await store({ sent: 70, unknown: 0, pending: 0 });
    expect(await total()).to.equal(70);
  });

  const refused: Array<[string, string]> = [
    ['', 'did'],
    ['did=slept', 'did'],
    ['did=opened&url=https%3A%2F%2Fx.example', 'url'],
    ['did=clicked&url=', 'url'],
    ['did=opened&position=3', 'position'],
    ['did=clicked&position=0', 'position'],
    ['did=clicked&position=x', 'position'],
    ['did=clicked&position=1&url=https%3A%2F%2Fx.example', 'url'],
    ['did=opened&limit=0', 'limit'],
  ];
  for (const [query, field] of refused)
    it(`refuses ?${query} and names ${field}`, async () => {
      const campaignId = await campaignOf(1, () => 'sent');
      for (const path of [`people?${query}`, ...(field === 'limit' ? [] : [`people/export?${query}`])]) {
        const { status, body } = await environment.own.client.get(`/campaigns/${campaignId}/${path}`);
        expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(body.error.details).to.contain(field);
      }
    });

  it('another project gets 404', async () => {
    const campaignId = await campaignOf(1, () => 'sent');
    for (const path of ['people?did=sent', 'people/export?did=sent']) {
      const { status } = await environment.other.client.get(`/campaigns/${campaignId}/${path}`);
      expect(status).to.equal(404);
    }
  });

  it('reads keys of one index, and documents of the page alone', async () => {
    const campaignId = await campaignOf(1_500, (index) => (index % 100 === 0 ? 'bounced' : 'sent'));
    const rows = await rowsOf(campaignId);
    const signals = rows
      .filter((_, index) => index % 3 === 0)
      .map(({ _id: messageId, projectId }): Signal => {
        const url = URLS[0] as string;
        return { kind: 'click', projectId, messageId, at: new Date(), url, link: 7, agent: BROWSER };
      });
    for (let from = 0; from < signals.length; from += 250)
      await writeSignals(environment.deps, signals.slice(from, from + 250));
    const asked = [
      ...FIGURES.map((did) => `did=${did}&page=3`),
      `did=clicked&url=${encodeURIComponent(URLS[0] as string)}&page=3`,
      'did=clicked&position=7&page=3',
    ];
    for (const query of asked) {
      const profile = await profiled(environment.deps, () => get(campaignId, query));
      const ours = profile.filter(({ ns }) => /\.(messages|engagements)$/.test(ns));
      expect(ours.length, query).to.be.greaterThan(1);
      for (const entry of ours) {
        expect(`${entry.planSummary}`, query).to.match(/IXSCAN|COUNT_SCAN|IDHACK|EOF/);
        expect(docsRead(entry), `${query} ${entry.planSummary}`).to.be.most(isWalk(query) ? 1_000 : 20);
      }
    }
  });

  /** Delivered mail is walked in batches of a thousand rows. */
  const isWalk = (query: string) => query.includes('did=not');
  const docsRead = ({ docsExamined }: Document) => docsExamined ?? 0;
});

describe('People behind a figure of a campaign that was sent', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();

  it('the figures of a mail that arrived: delivered, opened, bounced, and no recipient who waits in a block', async () => {
    const toLists = [await stage.list(6, (i) => (i === 5 ? 'perm-rcpt-550+x@example.org' : `q${i}@example.org`))];
    const id = await stage.launch({ toLists });
    const people = async (did: string): Promise<Array<string | null>> => {
      const { data } = (await stage.own.client.get(`/campaigns/${id}/people?did=${did}`)).body;
      expect(data.pagination.total).to.equal(data.people.length);
      return data.people.map(({ email }: Person) => email);
    };
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.freeze(id);
    expect([await people('sent'), await people('notOpened')]).to.deep.equal([[], []]);
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    expect(await people('bounced')).to.deep.equal(['perm-rcpt-550+x@example.org']);
    expect(await people('sent')).to.have.length(6);
    expect(await people('notOpened')).to.have.length(5);
    const message = (await stage.messages(id)).find(({ email }) => email === 'q2@example.org') as Message;
    const token = openToken(stage.deps.config, { projectId: message.projectId, messageId: message._id });
    const visitor = stage.environment.client(null, { 'User-Agent': BROWSER });
    await visitor.get(`/t/o/${token}.gif`);
    await engagementWith(stage.environment, message, 'openedAt');
    expect(await people('opened')).to.deep.equal(['q2@example.org']);
    expect(await people('notOpened')).to.deep.equal(['q0', 'q1', 'q3', 'q4'].map((name) => `${name}@example.org`));
  });
});

/** Mulberry32: the same numbers in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
