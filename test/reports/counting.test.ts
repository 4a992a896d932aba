// Promise: counts are exact.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { removeBlocksOf } from '../../core/campaigns/audience/leave.ts';
import { settleCampaignOrphans } from '../../core/campaigns/run/orphans.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { countProject, seriesCounts } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { ClaimCloser } from '../../core/mail/ledger/blocks/close.ts';
import { factsOf, waitToBeCounted } from '../../core/mail/ledger/counting/facts.ts';
import { type Cell, Tally } from '../../core/mail/ledger/counting/tally.ts';
import { type OpenClaim, openLedger } from '../../core/mail/ledger/ledger.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { admin } from '../accounts/processes.ts';
import { BROWSER, sentMessage } from '../feedback/support.ts';
import { claimedBlock } from '../outbox/blocks.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { plainCounts, storedCounts } from './support.ts';

describe('Counting for the series', function () {
  // Three processes are started one after the other.
  this.timeout(180_000);
  const environment = useEnvironment();
  let deps: Deps;
  let tenant: Tenant;
  let projectId: ObjectId;
  const at = new Date(Date.now() - 7_200_000);

  beforeEach(async () => {
    tenant = await environment.newTenant('Counted');
    projectId = tenant.project._id;
    deps = { ...environment.deps, log: { ...environment.deps.log, warn() {} } };
  });

  const of = () => ({ ...environment, own: tenant });
  const sent = (fields: Partial<Message> = {}) => sentMessage(environment, tenant, { lane: 'automation', ...fields });
  /** As it is stored when a call accepts it. */
  const accepted = (fields: Partial<Message>) =>
    sent({ counted: { isNew: true, deferred: 0 }, countDueAt: at, ...fields });
  const open = (message: Message, atMs = Date.now()) =>
    writeSignals(deps, [
      {
        kind: 'open',
        projectId,
        messageId: message._id,
        at: new Date(atMs),
        agent: BROWSER,
        purpose: '',
        method: 'GET',
      },
    ]);
  const bounce = ({ _id, email }: Pick<Message, '_id' | 'email'>) =>
    applyReports(deps, { projectId, messageId: _id }, [
      { action: 'failed', recipient: email, code: 550, enhanced: '5.1.1', text: 'no such user' } as never,
    ]);
  const total = async (name: string) => {
    const found = await storedCounts(deps, tenant);
    const isOf = (key: string) => key.startsWith('project ') && key.endsWith(` ${name}`);
    return Object.entries(found).reduce((sum, [key, by]) => sum + (isOf(key) ? by : 0), 0);
  };
  const agree = async () =>
    expect(await storedCounts(deps, tenant)).to.deep.equal(await plainCounts(deps, tenant, () => null));
  const expired = { leaseUntil: new Date(Date.now() - 1_000) };

  it('A report about a row of an open claim waits for the claim, and both are counted once.', async () => {
    const block = await claimedBlock(of(), expired);
    const row = block.row(0, { sentAt: at, endedAt: at });
    await deps.db.messages.insertOne(row);
    await bounce(row);
    await countProject(deps, projectId);
    expect([await total('sent'), await total('bounced')]).to.deep.equal([0, 0]);
    await settleCampaignOrphans(deps, block.campaign as never);
    await deps.db.messages.updateMany(
      { projectId, countDueAt: { $exists: true } },
      { $set: { countDueAt: new Date(0) } },
    );
    await countProject(deps, projectId);
    expect([await total('sent'), await total('delivered'), await total('bounced')]).to.deep.equal([1, 0, 1]);
    await agree();
  });

  it('Two changes before a count are both counted, and a repeated report is not.', async () => {
    const message = await accepted({ state: 'unknown', sentAt: undefined, endedAt: undefined, claimedAt: at } as never);
    await open(message);
    await bounce(message);
    await bounce(message);
    await countProject(deps, projectId);
    expect([await total('sent'), await total('delivered'), await total('bounced')]).to.deep.equal([1, 0, 1]);
    await agree();
  });

  it('A mail of unknown outcome that is opened counts as sent when it was claimed.', async () => {
    const message = await accepted({ state: 'unknown', sentAt: undefined, endedAt: undefined, claimedAt: at } as never);
    await open(message);
    await countProject(deps, projectId);
    const found = await storedCounts(deps, tenant);
    const quarter = new Date(Math.floor(at.getTime() / 900_000) * 900_000).toISOString();
    expect(found).to.include({ [`lane:automation ${quarter} sent`]: 1 });
    await agree();
  });

  it('A mail is counted as accepted when the call came, once, whether its outcome came before that or after.', async () => {
    const [soon, late] = [await accepted({}), await accepted({ state: 'queued' } as never)];
    await deps.db.messages.updateOne({ _id: late._id, projectId }, { $unset: { sentAt: '', endedAt: '' } });
    await countProject(deps, projectId);
    expect([await total('accepted'), await total('sent')]).to.deep.equal([2, 1]);
    const outcome = [{ $set: waitToBeCounted() }, { $set: { state: 'sent', sentAt: '$$NOW', endedAt: '$$NOW' } }];
    for (const { _id } of [soon, late]) await deps.db.messages.updateOne({ _id, projectId }, outcome);
    await countProject(deps, projectId);
    await countProject(deps, projectId);
    expect([await total('accepted'), await total('sent')]).to.deep.equal([2, 2]);
    await agree();
    await recountProject(deps, tenant.project);
    await agree();
  });

  it('Mail of calls, bulk calls and automations is accepted, also to a suppressed address; a recount leaves out new mail.', async () => {
    await seedVerifiedDomain(deps, tenant.project, 'accepted.example.com', new ObjectId());
    const from = { email: 'a@accepted.example.com' };
    const mail = { from, subject: 'S', text: 'T' };
    await tenant.client.post('/suppression-groups/emails/suppress', { emails: ['no@gmail.com'], isGlobal: true });
    for (const email of ['yes@gmail.com', 'no@gmail.com'])
      expect((await tenant.client.post('/mails/send', { ...mail, to: { email } })).status).to.equal(200);
    const recipients = ['one@example.org', 'two@example.org'].map((email) => ({ email }));
    expect((await tenant.client.post('/mails/bulk', { ...mail, recipients })).status).to.equal(200);
    await countProject(deps, projectId);
    expect(await total('accepted'), 'mail is counted with its outcome, or after some seconds').to.equal(0);
    await recountProject(deps, tenant.project);
    expect(await total('accepted')).to.equal(0);
    await deps.db.messages.updateMany({ projectId }, { $set: { countDueAt: new Date(0) } });
    await countProject(deps, projectId);
    expect(await total('accepted')).to.equal(4);
    await agree();
  });

  it('Later opens change nothing, and an earlier one that comes late moves the count.', async () => {
    await recountProject(deps, tenant.project);
    const message = await sent();
    await recountProject(deps, tenant.project);
    await open(message, Date.now());
    await countProject(deps, projectId);
    await open(message, Date.now() + 3_600_000);
    await countProject(deps, projectId);
    expect(await total('opened')).to.equal(1);
    await open(message, Date.now() - 1_800_000);
    await countProject(deps, projectId);
    expect(await total('opened')).to.equal(1);
    await agree();
  });

  it('A recount has opens of before the upgrade, and a later click counts alone.', async () => {
    const message = await sent();
    await open(message);
    await deps.db.engagements.updateOne({ _id: message._id, projectId }, { $unset: { countDueAt: '', counted: '' } });
    await recountProject(deps, tenant.project);
    expect([await total('sent'), await total('opened')]).to.deep.equal([1, 1]);
    const url = 'https://shop.example.com/';
    await writeSignals(deps, [
      { kind: 'click', projectId, messageId: message._id, at: new Date(), agent: BROWSER, url },
    ]);
    await countProject(deps, projectId);
    expect([await total('opened'), await total('clicked')]).to.deep.equal([1, 1]);
    await agree();
  });

  it('A recount leaves out what claims have that are not counted yet, and it is counted afterwards.', async () => {
    const cell: Cell = { at: new Date(0), provider: 'other', counts: { sent: 1, delivered: 1 } };
    const block = await claimedBlock(of());
    const row = block.row(0, { sentAt: at, endedAt: at });
    await deps.db.messages.insertOne(row);
    cell.at = new Date(Math.floor(at.getTime() / 900_000) * 900_000);
    const { _id } = block.claim;
    await recountProject(deps, tenant.project);
    expect(await total('sent')).to.equal(0);
    const closed = { counts: [cell], countDueAt: new Date(), endedAt: new Date() };
    await deps.db.campaignClaims.updateOne({ _id, projectId }, { $set: closed, $unset: { leaseUntil: '' } });
    await recountProject(deps, tenant.project);
    expect(await total('sent')).to.equal(0);
    await countProject(deps, projectId);
    await agree();
    await recountProject(deps, tenant.project);
    await agree();
  });

  it('Claims of a campaign that has lost its run are kept until they are counted, and removed then.', async () => {
    const block = await claimedBlock(of(), {}, { status: 'sent' });
    const cell: Cell = { at, provider: 'other', counts: { sent: 3 } };
    const { _id } = block.claim;
    const closed = { counts: [cell], countDueAt: new Date(), endedAt: new Date() };
    await deps.db.campaignClaims.updateOne({ _id, projectId }, { $set: closed, $unset: { leaseUntil: '' } });
    const campaign = await deps.db.campaigns.findOne({ _id: block.campaign._id, projectId });
    await removeBlocksOf(deps, campaign!);
    await countProject(deps, projectId);
    expect(await total('sent')).to.equal(3);
    expect(await deps.db.campaignClaims.countDocuments({ projectId })).to.equal(0);
  });

  it('A claim that is closed again because the answer was lost is counted once.', async () => {
    const block = await claimedBlock(of());
    const ledger = Object.assign(openLedger(), { owner: block.claim.owner });
    const row = block.row(0, { sentAt: at, endedAt: at });
    await deps.db.messages.insertOne(row);
    const tally = new Tally();
    tally.add(factsOf(row), 'other');
    let answers = 0;
    const claims = new Proxy(deps.db.campaignClaims, {
      get(target, name) {
        if (name !== 'updateMany') return Reflect.get(target, name);
        return async (...given: Parameters<typeof target.updateMany>) => {
          const answer = await target.updateMany(...given);
          await countProject(deps, projectId);
          answers += 1;
          if (answers === 1) throw new Error('the answer was lost');
          return answer;
        };
      },
    });
    const closer = new ClaimCloser({ ...deps, db: { ...deps.db, campaignClaims: claims } }, ledger);
    closer.add({ place: block.claim, recipients: [], tally, isLost: false } as unknown as OpenClaim);
    await closer.closeAll();
    await countProject(deps, projectId);
    expect([answers, await total('sent')]).to.deep.equal([2, 1]);
    await agree();
  });

  it('Two processes that count at once count everything once.', async () => {
    const messages = await Promise.all(Array.from({ length: 30 }, () => sent()));
    await recountProject(deps, tenant.project);
    await Promise.all(messages.map(bounce));
    await Promise.all(Array.from({ length: 4 }, () => countProject(deps, projectId)));
    expect(await total('bounced')).to.equal(30);
    await agree();
  });

  it('The queue finds a project by what waits, and nothing is counted while a recount is at work.', async () => {
    const message = await sent();
    await recountProject(deps, tenant.project);
    await bounce(message);
    const queue = seriesCounts(deps);
    expect((await queue.projects(new Date(Date.now() + 1_000))).map(String)).to.include(String(projectId));
    const pausedUntil = new Date(Date.now() + 60_000);
    await deps.db.reportStates.updateOne({ _id: projectId, projectId }, { $set: { pausedUntil } });
    expect(await recountProject(deps, tenant.project)).to.deep.equal({ kind: 'busy' });
    await countProject(deps, projectId);
    expect(await total('bounced')).to.equal(0);
    await deps.db.reportStates.updateOne({ _id: projectId, projectId }, { $set: { pausedUntil: new Date(0) } });
    for (const run of (await queue.take(projectId, 1)).runs) await run();
    expect(await total('bounced')).to.equal(1);
    expect((await queue.projects(new Date(Date.now() + 1_000))).map(String)).to.not.include(String(projectId));
  });

  it('A recount that was held up while another one ended changes nothing.', async () => {
    await Promise.all([sent(), sent()]);
    let isHeldUp = true;
    const reportCounts = new Proxy(deps.db.reportCounts, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'bulkWrite') return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: Parameters<typeof target.bulkWrite>) => {
          if (isHeldUp) {
            isHeldUp = false;
            await deps.db.reportStates.updateOne({ _id: projectId, projectId }, { $set: { pausedUntil: new Date(0) } });
            expect((await recountProject(deps, tenant.project)).kind).to.equal('recounted');
          }
          return target.bulkWrite(...given);
        };
      },
    });
    const heldUp = { ...deps, db: { ...deps.db, reportCounts } };
    expect(await recountProject(heldUp, tenant.project)).to.deep.equal({ kind: 'busy' });
    expect(await total('sent')).to.equal(2);
    await agree();
    expect(new Set(await deps.db.reportCounts.distinct('count', { projectId })).size).to.equal(1);
  });

  it('npm run admin -- recount counts one project, or all that are not deleted, and says since when.', async () => {
    await sent();
    const secretKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;
    const one = await admin(environment, secretKeys, 'recount', projectId.toHexString());
    expect(JSON.parse(one.output), one.output).to.include({
      ...{ projectId: projectId.toHexString(), kind: 'recounted', mails: 1 },
      since: tenant.project.createdAt.toISOString(),
    });
    expect(await total('sent')).to.equal(1);
    const all = await admin(environment, secretKeys, 'recount');
    expect([all.code, all.output.includes(environment.other.project._id.toHexString())]).to.deep.equal([0, true]);
    await agree();
    expect((await admin(environment, secretKeys, 'recount', 'x')).code).to.equal(1);
  });

  it('A recount is refused once retention has removed mail that was counted.', async () => {
    await sent();
    await recountProject(deps, tenant.project);
    const before = await storedCounts(deps, tenant);
    const later = { ...deps, clock: { now: () => new Date(Date.now() + 200 * 86_400_000) } };
    expect(await recountProject(later, tenant.project)).to.deep.equal({ kind: 'removed' });
    await deps.db.messages.deleteMany({ projectId });
    expect(await storedCounts(deps, tenant)).to.deep.equal(before);
  });

  it('The series of a deleted project are gone, and nothing is counted for it any more.', async () => {
    const message = await sent();
    await recountProject(deps, tenant.project);
    await bounce(message);
    const admin = environment.client(tenant.adminKey);
    expect((await admin.delete(`/account/projects/${projectId}`)).status).to.equal(200);
    await countProject(deps, projectId);
    expect(await deps.db.reportCounts.countDocuments({ projectId })).to.equal(0);
    expect(await deps.db.messages.countDocuments({ projectId, countDueAt: { $exists: true } })).to.equal(0);
  });
});
