// Promise: nothing is sent twice.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { settleCampaignOrphans, unsettledOf } from '../../core/campaigns/run/orphans.ts';
import type { BlockClaim } from '../../core/mail/ledger/blocks/model.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { useEnvironment } from '../support/environment.ts';
import { beforeTakeOver, type ClaimedBlock, claimedBlock, closeClaim } from './blocks.ts';

describe('A claim of a block whose process is gone', () => {
  const environment = useEnvironment();
  let deps: Deps;
  const projectId = () => environment.own.project._id;

  before(async () => {
    const hook = { url: 'https://hooks.example.com/', events: ['email.sent', 'email.bounced'] };
    expect((await environment.own.client.post('/webhooks', hook)).status).to.equal(201);
  });
  beforeEach(() => {
    deps = {
      ...environment.deps,
      log: { ...environment.deps.log, warn() {} },
    };
  });

  const ended = { leaseUntil: new Date(Date.now() - 1_000) };
  const settle = ({ campaign }: ClaimedBlock, own = deps) => settleCampaignOrphans(own, campaign as never);
  const rows = ({ campaign }: ClaimedBlock) =>
    environment.deps.db.messages.find({ campaignId: campaign._id, projectId: projectId() }).sort({ seq: 1 }).toArray();
  const claimNow = ({ claim: { _id } }: ClaimedBlock) =>
    environment.deps.db.campaignClaims.findOne({ _id, projectId: projectId() }) as Promise<BlockClaim>;
  const events = ({ campaign }: ClaimedBlock) =>
    environment.deps.db.projectEvents
      .find({ projectId: projectId(), 'data.campaignId': campaign._id.toHexString() })
      .toArray();
  const withEvidence = (accepted: (messageId: string) => Promise<boolean>, delaySeconds = 0): Deps => ({
    ...deps,
    evidence: { isKnown: true, accepted },
    config: { ...deps.config, smtpEvidenceDelaySeconds: delaySeconds },
  });
  async function withDomain(block: ClaimedBlock): Promise<ClaimedBlock> {
    const { _id } = block.campaign;
    const content = { _id, projectId: projectId(), domainName: 'example.org' };
    await environment.deps.db.campaignContents.insertOne(content as never);
    return block;
  }

  it('Recipients without a row become unknown, with the owner and the times of the claim; rows that are there stay.', async () => {
    const block = await claimedBlock(environment, { ...ended, from: 2, to: 6 });
    await environment.deps.db.messages.insertOne(block.row(3));
    await settle(block);
    const found = await rows(block);
    expect(found.map(({ seq, state }) => [seq, state])).to.deep.equal([
      [3, 'unknown'],
      [4, 'sent'],
      [5, 'unknown'],
      [6, 'unknown'],
    ]);
    const { owner, claimedAt } = block.claim;
    const [{ _id, email, contactId } = {} as Message] = found;
    expect(found[0]).to.deep.include({ owner, claim: 1, claimedAt, firstAt: claimedAt, orphaned: 1, lane: 'campaign' });
    expect([_id, email, contactId]).to.deep.equal([
      block.ids[2],
      block.block.recipients[2]!.email,
      block.block.recipients[2]!.contactId,
    ]);
    expect(found[0]).to.not.have.any.keys('sentAt', 'endedAt', 'dueAt');
    const closed = await claimNow(block);
    expect(closed).to.not.have.property('leaseUntil');
    expect([closed.endedAt instanceof Date, closed.lostBy]).to.deep.equal([true, owner]);
    expect(await unsettledOf(deps, block.campaign as never)).to.deep.equal({ count: 0, ageMs: 0 });
  });

  it('A claim is left alone while its lease lasts, and counts as unsettled.', async () => {
    const block = await claimedBlock(environment);
    await settle(block);
    expect(await rows(block)).to.deep.equal([]);
    expect(await claimNow(block)).to.deep.equal(block.claim);
    const { count, ageMs } = await unsettledOf(deps, block.campaign as never);
    expect(count).to.equal(8);
    expect(ageMs).to.be.greaterThan(39_000);
  });

  it('The owner cannot renew a claim that was taken over, while evidence is still asked.', async () => {
    const block = await withDomain(await claimedBlock(environment, ended));
    const renewed: number[] = [];
    const renew = async () => {
      const { _id, owner } = block.claim;
      const mine = { _id, projectId: projectId(), owner };
      const until = new Date(Date.now() + 30_000);
      return environment.deps.db.campaignClaims.updateOne(mine, { $set: { leaseUntil: until } });
    };
    const asked = withEvidence(async () => {
      renewed.push((await renew()).modifiedCount);
      return false;
    });
    await settle(block, asked);
    expect(renewed).to.deep.equal(Array(8).fill(0));
    expect((await rows(block)).map(({ state }) => state)).to.deep.equal(Array(8).fill('queued'));
  });

  it('A claim that is renewed while it is being taken over is left to its owner.', async () => {
    const block = await claimedBlock(environment, ended);
    const { _id } = block.claim;
    const slow = beforeTakeOver(deps.db, () => {
      const until = new Date(Date.now() + 30_000);
      return deps.db.campaignClaims.updateOne({ _id, projectId: projectId() }, { $set: { leaseUntil: until } });
    });
    await settle(block, { ...deps, db: slow });
    expect(await rows(block)).to.deep.equal([]);
    expect((await claimNow(block)).owner).to.equal(block.claim.owner);
  });

  it('Of several that settle at the same time one takes it over, and each recipient gets one row.', async () => {
    const block = await claimedBlock(environment, ended);
    await Promise.all(Array.from({ length: 8 }, () => settle(block)));
    const found = await rows(block);
    expect(found.map(({ seq }) => seq)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect((await claimNow(block)).lostBy).to.equal(block.claim.owner);
  });

  it('Evidence decides: the relay has it, or it is sent again.', async () => {
    const block = await withDomain(await claimedBlock(environment, ended));
    const has = `<${block.ids[1]}@example.org>`;
    await settle(
      block,
      withEvidence(async (messageId) => messageId === has),
    );
    const found = await rows(block);
    expect(found.map(({ state }) => state)).to.deep.equal(['queued', 'sent', ...Array(6).fill('queued')]);
    expect(found[1]).to.deep.include({ sentAt: block.claim.claimedAt, firstAt: block.claim.claimedAt });
    expect(found[1]!.endedAt).to.be.instanceOf(Date);
    expect(found[0]).to.not.have.property('dueAt');
  });

  it('Recipients stay with the claim while the relay does not answer about them, and the next settler keeps the first owner.', async () => {
    const block = await withDomain(await claimedBlock(environment, ended));
    const silent = block.ids.slice(4).map((id) => `<${id}@example.org>`);
    await settle(
      block,
      withEvidence(async (messageId) => {
        if (silent.includes(messageId)) throw new Error('no answer');
        return true;
      }),
    );
    expect((await rows(block)).map(({ state }) => state)).to.deep.equal(Array(4).fill('sent'));
    const open = await claimNow(block);
    expect(open.leaseUntil!.getTime()).to.be.greaterThan(Date.now() + 20_000);
    expect(open.lostBy).to.equal(block.claim.owner);
    expect(open.owner).to.not.equal(block.claim.owner);
    const { _id } = block.claim;
    await environment.deps.db.campaignClaims.updateOne({ _id, projectId: projectId() }, { $set: ended });
    await settle(
      block,
      withEvidence(async () => true),
    );
    const found = await rows(block);
    expect(found.map(({ state, owner }) => [state, owner])).to.deep.equal(Array(8).fill(['sent', block.claim.owner]));
    expect((await claimNow(block)).lostBy).to.equal(block.claim.owner);
  });

  it('While the relay may still be finishing the mail it is unknown, and asked about later.', async () => {
    const block = await claimedBlock(environment, ended);
    const asked = withEvidence(async () => true, 90);
    await settle(block, asked);
    const found = await rows(block);
    expect(found.map(({ state }) => state)).to.deep.equal(Array(8).fill('unknown'));
    expect(found[0]!.dueAt!.getTime()).to.be.greaterThan(Date.now() + 50_000);
    expect((await claimNow(block)).endedAt).to.be.instanceOf(Date);
    expect((await unsettledOf(deps, block.campaign as never)).count).to.equal(8);
  });

  it('Events of rows that its process had written are published, once, and before the claim is closed.', async () => {
    const block = await claimedBlock(environment, ended);
    const { db } = environment.deps;
    await db.messages.insertMany([
      block.row(0),
      block.row(1, { state: 'bounced', reason: 'there is no such mailbox' }),
      block.row(2, { state: 'failed', reason: 'x' }),
    ]);
    const broken = { ...deps, db: withBrokenEvents(deps.db) };
    await settle(block, broken).catch(() => undefined);
    expect(await claimNow(block)).to.have.property('leaseUntil');
    const { _id } = block.claim;
    for (let i = 0; i < 2; i += 1) {
      const open = { $set: { leaseUntil: ended.leaseUntil }, $unset: { endedAt: '' as const } };
      await db.campaignClaims.updateOne({ _id, projectId: projectId() }, open);
      await settle(block);
      const found = await events(block);
      expect(found.map(({ type }) => type).toSorted()).to.deep.equal(['email.bounced', 'email.sent']);
      expect(found.find(({ type }) => type === 'email.sent')?.data.email).to.equal(block.block.recipients[0]!.email);
    }
    expect((await claimNow(block)).endedAt).to.be.instanceOf(Date);
  });

  it('Recipients in rows of a process that is gone are sent, with their event, when the relay has their mail.', async () => {
    const block = await withDomain(await claimedBlock(environment));
    const lost = { state: 'committing', owner: 'gone', claim: 2, dueAt: ended.leaseUntil } as const;
    const { sentAt: _, endedAt: __, ...row } = block.row(0, lost);
    await environment.deps.db.messages.insertOne(row);
    const asked = withEvidence(async () => true);
    for (let i = 0; i < 2; i += 1) await settle(block, asked);
    expect((await rows(block)).map(({ state }) => state)).to.deep.equal(['sent']);
    const found = await events(block);
    expect(found.map(({ type, data }) => [type, data.email])).to.deep.equal([['email.sent', row.email]]);
  });

  it('A contact that was erased since is not queued again.', async () => {
    const block = await withDomain(await claimedBlock(environment, ended));
    const { _id } = block.block;
    await environment.deps.db.campaignBlocks.updateOne(
      { _id, projectId: projectId() },
      { $set: { 'recipients.0.email': '' } },
    );
    await settle(
      block,
      withEvidence(async () => false),
    );
    const [erased, next] = await rows(block);
    expect([erased?.state, erased?.email, erased?.reason]).to.deep.equal(['failed', '', 'The contact was deleted.']);
    expect(next?.state).to.equal('queued');
  });

  it('Claims of other campaigns and projects, and closed ones, are left alone.', async () => {
    const [block, closed, other] = await Promise.all([1, 2, 3].map(() => claimedBlock(environment, ended)));
    await closeClaim(environment, closed!.claim);
    await settle(closed!);
    await settle({ ...block!, campaign: { ...block!.campaign, projectId: environment.other.project._id } });
    for (const one of [block!, closed!, other!]) expect(await rows(one)).to.deep.equal([]);
  });

  it('A recipient stays unknown for good when its process had written nothing else, and can be sent again by a person with its first Date.', async () => {
    const block = await claimedBlock(environment, ended);
    await settle(block);
    const [first] = await rows(block);
    expect(first?.timeline?.map(({ type, claimedAt }) => [type, claimedAt])).to.deep.equal([
      ['unknown', block.claim.claimedAt],
    ]);
    expect(first?.reason).to.equal('The sending process ended before the relay had answered.');
    expect(first?.firstAt).to.deep.equal(block.claim.claimedAt);
  });
});

function withBrokenEvents(db: Deps['db']): Deps['db'] {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'webhooks' || name === 'projectEvents') throw new Error(`no ${new ObjectId()}`);
      return Reflect.get(target, name);
    },
  });
}
