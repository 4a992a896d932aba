import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { BROWSER, sentMessage } from '../feedback/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { plainCounts, storedCounts } from './support.ts';

const DAY_MS = 86_400_000;
const MAX = 1_000;

describe('GET /reports/series by tag', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Tagged');
  });

  const noon = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2);
  const sent = (tags: string[], fields: Partial<Message> = {}) =>
    sentMessage(environment, tenant, {
      ...{ lane: 'transactional', createdAt: noon, sentAt: noon, endedAt: noon, countDueAt: noon },
      ...{ counted: { isNew: true, deferred: 0 } },
      ...(tags.length > 0 ? { tags } : {}),
      ...fields,
    });
  const count = () => countProject(environment.deps, tenant.project._id);
  const get = async (tag: string, more = '') => {
    const days = `from=${new Date(noon.getTime() - 2 * DAY_MS).toISOString()}`;
    const { status, body, text } = await tenant.client.get(`/reports/series?${days}&tag=${tag}${more}`);
    expect(status, text).to.equal(200);
    return body.data;
  };
  const sumOf = async (tag: string, name = 'sent'): Promise<number> =>
    (await get(tag)).points.reduce((sum: number, point: Record<string, number>) => sum + point[name]!, 0);
  const bounce = ({ _id, projectId, email }: Message) =>
    applyReports(environment.deps, { projectId, messageId: _id }, [
      { action: 'failed', recipient: email, code: 550, enhanced: '5.1.1', text: 'no such user' } as never,
    ]);
  const agree = async () =>
    expect(await storedCounts(environment.deps, tenant)).to.deep.equal(
      await plainCounts(environment.deps, tenant, () => null),
    );

  it('counts a mail once for each of its tags, with what its reader did, and again the same', async () => {
    const opened = await sent(['kind:a', 'shop:north']);
    await sent(['kind:b', 'shop:north']);
    await sent([]);
    await count();
    const signal = { kind: 'open' as const, projectId: tenant.project._id, messageId: opened._id, at: new Date() };
    await writeSignals(environment.deps, [{ ...signal, agent: BROWSER, purpose: '', method: 'GET' }]);
    await count();
    const answer = await get('shop:north');
    expect([answer.by, answer.value]).to.deep.equal(['tag', 'shop:north']);
    const sums = async () => [
      ...[await sumOf('shop:north'), await sumOf('kind:a'), await sumOf('kind:b'), await sumOf('kind:c')],
      ...[await sumOf('kind:a', 'humanOpened'), await sumOf('kind:b', 'opened'), await sumOf('other')],
    ];
    expect(await sums()).to.deep.equal([2, 1, 1, 0, 1, 0, 0]);
    await agree();
    expect((await recountProject(environment.deps, tenant.project)).kind).to.equal('recounted');
    expect(await sums()).to.deep.equal([2, 1, 1, 0, 1, 0, 0]);
    await agree();
  });

  it('counts 1,000 tags of a project and day on their own, and the rest of that day as other; a recount too', async () => {
    const ten = (from: number) => Array.from({ length: 10 }, (_, index) => `n${index}:v${from}`);
    for (let from = 0; from < MAX / 10 - 1; from += 1) await sent(ten(from));
    await count();
    // Ten places are left: the first of these gets them, and the ids of the others are older than all of them.
    await sent(ten(99));
    await count();
    const early = (seconds: number) => ObjectId.createFromTime(Math.floor(noon.getTime() / 1_000) - seconds);
    await sent(['late:a', 'n0:v5'], { _id: early(60) });
    const late = await sent(['late:b', 'late2:b'], { _id: early(61) });
    const before = new Date(noon.getTime() - DAY_MS);
    await sent(['late:a'], { _id: early(62), createdAt: before, sentAt: before, endedAt: before });
    await count();
    const sums = async () => [
      ...[await sumOf('n9:v99'), await sumOf('n0:v5'), await sumOf('late:b'), await sumOf('late2:b')],
      // That of the day before.
      ...[await sumOf('late:a'), await sumOf('other')],
    ];
    expect(await sums()).to.deep.equal([1, 2, 0, 0, 1, 3]);
    expect(await sumOf('other', 'delivered')).to.equal(3);
    await bounce(late);
    await count();
    expect(await sums(), 'a report is counted where its mail is').to.deep.equal([1, 2, 0, 0, 1, 3]);
    expect(await sumOf('other', 'delivered')).to.equal(1);
    const stored = await storedCounts(environment.deps, tenant);
    const places = Object.keys(stored).filter((key) => key.startsWith('tag:') && key.endsWith(' sent'));
    expect(places).to.have.length(MAX + 2);
    expect((await recountProject(environment.deps, tenant.project)).kind).to.equal('recounted');
    expect(await sums()).to.deep.equal([1, 2, 0, 0, 1, 3]);
    expect(await storedCounts(environment.deps, tenant)).to.deep.equal(stored);
  });

  it('takes name:value or other, and one part at a time; another project has its own', async () => {
    await sent(['kind:a']);
    await count();
    for (const tag of ['kind', 'kind:', 'a:b:c', 'Other', 'kind:%24a']) {
      const { status, body } = await tenant.client.get(`/reports/series?tag=${tag}`);
      expect([status, body.error.details?.split(':')[0]]).to.deep.equal([400, 'tag']);
    }
    const both = await tenant.client.get('/reports/series?tag=kind:a&provider=google');
    expect([both.status, both.body.error.details]).to.deep.equal([400, 'tag: cannot be combined with provider']);
    const { body } = await environment.other.client.get('/reports/series?tag=kind:a');
    expect(body.data.points.every(({ sent: by }: { sent: number }) => by === 0)).to.equal(true);
    expect(await sumOf('kind:a')).to.equal(1);
    expect(await sumOf('kind:A')).to.equal(0);
  });
});
