import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoServerError, ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { asOurs, beginAttempt } from '../../../core/campaigns/audience/attempt.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { recomputeSegment } from '../../../core/people/lists/recompute.ts';
import { indexes } from '../../../platform/mongo/indexes.ts';
import { profiled } from '../../support/profile.ts';
import { until } from '../../support/wait.ts';
import { useHands } from '../support.ts';

const control = () => ({ signal: new AbortController().signal, onProgress() {} });

describe('An audience that is written down', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();

  const tag = () => new ObjectId().toHexString().slice(-8);
  const begun = async (fields: object) => {
    const id = await stage.launch(fields);
    await hands.advance(id);
    return id;
  };
  const suppress = (emails: string[]) =>
    stage.own.client.post('/suppression-groups/emails/suppress', { emails, isGlobal: true, reason: 'BOUNCE' });
  const blocksOf = (id: string) =>
    stage.deps.db.campaignBlocks.find({ projectId: stage.own.project._id, campaignId: new ObjectId(id) }).toArray();

  it('belongs to the attempt that began last: an earlier one that is still running changes nothing', async () => {
    const name = tag();
    const id = await begun({ toLists: [await stage.list(600, (i) => `${name}-${1_000 + i}@example.org`)] });
    await suppress([`${name}-1003@example.org`, `${name}-1400@example.org`]);
    let last: Promise<void> | undefined;
    const zombie = acting(stage.deps, 'campaigns', 'updateOne', async (_, update) => {
      if (!JSON.stringify(update).includes('freeze.writ')) return;
      last ??= stage.stored(id).then((campaign) => freezeAudience(stage.deps, campaign, control()));
      await last;
    });
    await freezeAudience(zombie, await stage.stored(id), control());
    expect(last, 'another attempt ran in the middle').to.not.equal(undefined);
    const { freeze } = await stage.stored(id);
    expect(freeze?.frozen).to.deep.equal({ total: 600, inBlocks: 598 });
    expect((await stage.audience(id)).length).to.equal(600);
    expect(await stage.progress(id)).to.include({ total: 600, suppressed: 2, pending: 598 });
    await hands.drive(id);
    expect((await stage.arrived(id)).size).to.equal(598);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('has no row of an attempt whose transaction was open when the next one began', async () => {
    const name = tag();
    const id = await begun({ toLists: [await stage.list(1, () => `${name}@example.org`)] });
    const { deps, own } = stage;
    const campaign = await stage.stored(id);
    const former = (await beginAttempt(deps, campaign))!;
    let next: ReturnType<typeof beginAttempt> | undefined;
    await asOurs(deps, former, { written: 0 }, async (session) => {
      const row = {
        _id: new ObjectId(),
        projectId: own.project._id,
        lane: 'campaign' as const,
        email: 'x@example.org',
      };
      await deps.db.messages.insertOne({ ...row, campaignId: campaign._id, state: 'suppressed', seq: -1 }, { session });
      next = beginAttempt(deps, campaign);
      // It can only wait for this transaction. If it does not, it has looked for rows by now.
      await Promise.race([next, pause(500)]);
    });
    await next;
    expect(await stage.messages(id)).to.deep.equal([]);
    await hands.drive(id);
    expect((await stage.arrived(id)).size).to.equal(1);
  });

  it('is that of one moment: people whose address changes while it is read are in it once', async () => {
    const name = tag();
    const email = (i: number) => `${name}-${String(i).padStart(6, '0')}@example.org`;
    const id = await begun({ toLists: [await stage.list(14_000, email)] });
    const projectId = stage.own.project._id;
    const move = async (from: string, to: string) =>
      stage.deps.db.contacts.updateOne({ projectId, email: from }, { $set: { email: to } });
    let moved = false;
    const moving = acting(stage.deps, 'suppressions', 'find', async () => {
      if (moved) return;
      moved = true;
      await move(email(13_999), `${name}-000000a@example.org`);
      await move(email(3), `${name}-9@example.org`);
    });
    await freezeAudience(moving, await stage.stored(id), control());
    expect(moved).to.equal(true);
    const audience = await stage.audience(id);
    expect(audience.map((one) => one.email)).to.deep.equal(Array.from({ length: 14_000 }, (_, i) => email(i)));
    expect(new Set(audience.map(({ contactId }) => String(contactId))).size).to.equal(14_000);
    await stage.act(id, 'abort');
  });

  it('is read without a snapshot when two were too old, each person once', async () => {
    const name = tag();
    await stage.list(14_000, (i) => `${name}-${i}@example.org`);
    const id = await begun({ sendToGlobalList: true });
    const { contacts } = stage.deps.db;
    const own = { projectId: stage.own.project._id };
    const first = await contacts.findOne(own, { sort: { email: 1 } });
    let reads = 0;
    let moved = false;
    const moving = acting(stage.deps, 'suppressions', 'find', async () => {
      if (reads < 3 || moved) return;
      moved = true;
      await contacts.updateOne({ _id: first!._id, ...own }, { $set: { email: `zzz${name}@example.org` } });
    });
    const tooOld = acting(moving, 'contacts', 'find', () => {
      reads += 1;
      if (reads <= 2) throw new MongoServerError({ message: 'too old', code: 239, codeName: 'SnapshotTooOld' });
    });
    await freezeAudience(tooOld, await stage.stored(id), control());
    expect([reads, moved]).to.deep.equal([3, true]);
    const people = (await stage.audience(id)).map(({ contactId }) => String(contactId));
    expect(new Set(people).size).to.equal(people.length);
    expect(people.length).to.equal(await contacts.countDocuments(own));
    await stage.act(id, 'abort');
  });

  it('is merged in the order of bytes: where UTF-16 has another order, a person of two lists is still in it once', async () => {
    const name = tag();
    const [wide, face] = [`${name}\uff21@example.org`, `${name}\u{1f600}@example.org`];
    const lists = [await stage.list(2, (i) => [wide, face][i]!), await stage.list(1, () => face)];
    for (const toLists of [lists, lists.toReversed()]) {
      const id = await begun({ toLists });
      await hands.freeze(id);
      const [block] = await blocksOf(id);
      expect(block?.recipients.map(({ email }) => email)).to.deep.equal([wide, face]);
      expect([block?.first, block?.last]).to.deep.equal([wide, face]);
      await stage.act(id, 'abort');
    }
  });

  it('is read from each list by its own index, which has no other contact of the project', async () => {
    const name = tag();
    await stage.list(500, (i) => `${name}-other${i}@example.org`);
    const lists = [
      await stage.list(40, (i) => `${name}-${100 + i}@example.org`),
      await stage.list(30, (i) => `${name}-${120 + i}@example.org`),
    ];
    const group = { field: 'email', operator: 'contains', value: `${name}-11` };
    const filterCriteria = { logicalOperator: 'AND', groups: [group] };
    const segment = { name: `segment ${name}`, type: 'segment', filterCriteria };
    const { body } = await stage.own.client.post('/contact-lists', segment);
    // On a slow machine the call leaves the rest of its 29,000 contacts to a worker, of which there is none here.
    const segmentId = new ObjectId(body.data.id);
    await until(
      () => recomputeSegment(stage.deps, stage.own.project._id, segmentId, { timeMs: 5_000, settleMs: 0 }),
      ({ status }) => status === 'completed',
    );
    const id = await begun({ toLists: [...lists, body.data.id] });
    const operations = await profiled(stage.deps, () => hands.freeze(id));
    const reads = operations.filter(
      ({ op, ns, command }) => op === 'query' && ns.endsWith('.contacts') && command.sort?.email === 1,
    );
    expect(reads.map(({ command }) => command.hint).toSorted()).to.deep.equal(['list', 'list', 'segment']);
    for (const { command, planSummary, docsExamined, nreturned } of reads) {
      const field = command.hint === 'list' ? 'listIds' : 'segmentIds';
      expect(planSummary).to.equal(`IXSCAN { projectId: 1, ${field}: 1, email: 1 }`);
      expect(docsExamined).to.equal(nreturned);
    }
    expect(reads.reduce((sum, { nreturned }) => sum + nreturned, 0)).to.equal(40 + 30 + 10);
    expect((await stage.audience(id)).length).to.equal(50);
    await stage.act(id, 'abort');
  });

  it('is found by keys that begin with the project, and no claim expires', () => {
    const ours = indexes.filter(({ on }) => on === 'campaignBlocks' || on === 'campaignClaims');
    expect(ours.filter(({ options }) => options?.expireAfterSeconds !== undefined)).to.deep.equal([]);
    expect(ours.map(({ key }) => Object.keys(key as object)[0])).to.deep.equal(ours.map(() => 'projectId'));
    const unique = ours.filter(({ options }) => options?.unique).map(({ key }) => Object.keys(key as object).join());
    expect(unique).to.deep.equal(['projectId,campaignId,run,n', 'projectId,campaignId,n,from']);
    const words = ours.flatMap(({ key }) => Object.keys(key as object));
    expect(
      words.some((word) => word.startsWith('recipients')),
      'an index of every recipient is dear',
    ).to.equal(false);
  });
});

/** Dependencies that do something before each call of one function of a collection; of a cursor, before it is read. */
function acting(
  deps: Deps,
  name: 'campaigns' | 'suppressions' | 'contacts',
  method: 'updateOne' | 'find',
  act: (...args: unknown[]) => unknown,
): Deps {
  const collection = new Proxy(deps.db[name] as object, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== method) return value.bind(target);
      if (method === 'find') return (...args: unknown[]) => cursorAfter(value.apply(target, args), () => act(...args));
      return async (...args: unknown[]) => {
        await act(...args);
        return value.apply(target, args);
      };
    },
  });
  return { ...deps, db: { ...deps.db, [name]: collection } } as Deps;
}

function cursorAfter<T extends { toArray(): Promise<unknown>; hasNext(): Promise<boolean> }>(
  cursor: T,
  act: () => unknown,
): T {
  const [toArray, hasNext] = [cursor.toArray.bind(cursor), cursor.hasNext.bind(cursor)];
  let acted = false;
  const once = async () => {
    if (!acted) await act();
    acted = true;
  };
  return Object.assign(cursor, {
    toArray: () => once().then(toArray),
    hasNext: () => once().then(hasNext),
  });
}
