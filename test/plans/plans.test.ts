import { expect } from 'chai';
import type { Document } from 'mongodb';
import { type ShardKey, shardKeys } from '../../platform/sharding/keys.ts';
import { startStage } from '../campaigns/support.ts';
import { profiled } from '../support/profile.ts';
import { runByHand } from './by-hand.ts';
import {
  notReached,
  ofInstallation,
  otherIndexes,
  reading,
  scans,
  withoutProject,
  withoutProjectAtTimes,
} from './exceptions.ts';
import { explain, type Plan } from './explain.ts';
import { fill } from './filler.ts';
import { runLanes } from './lanes.ts';
import { openOutside } from './outside.ts';
import { type Shape, shapesOf } from './shapes.ts';
import { runTraffic } from './traffic.ts';

/** Fewer documents are read for nothing by ranges that end in their middle. */
const WASTED_MAX = 45;

/** Without traffic that takes these steps of the lanes, none of their queries would be explained. */
const STEPS: Record<string, string> = {
  'a block is claimed': 'campaignClaims findAndModify {_id, campaignId, endedAt: $exists, from, n, owner, projectId}',
  'claims of blocks are renewed': 'campaignClaims update {_id: $in, endedAt: $exists, owner, projectId: $in}',
  'claims of blocks are closed': 'campaignClaims update {_id: $in, leaseUntil: $exists, owner, projectId: $in}',
  'a claim is taken over': 'campaignClaims findAndModify {$expr, _id, leaseUntil, owner, projectId}',
  'rows are claimed': 'messages update {$expr, _id: $in, projectId, state: $in}',
  'claims of rows are renewed': 'messages update {_id: $in, owner, projectId: $in, state}',
  'outcomes are written': 'messages update {$or[{state: $in}], _id: $in, owner, projectId: $in}',
  'an orphan is settled': 'messages update {$expr, _id, claim, dueAt, owner, projectId, state}',
  'an audience is copied': 'campaignBlocks find {campaignId, projectId, run} sort fromSeq',
  'blocks move to the place of their release': 'campaignBlocks update {campaignId, fromSeq: $gte $lte, projectId, run}',
  'recipients are released':
    'campaigns findAndModify {_id, gradual.day, gradual.releasedToday, gradual.releasedUpTo, projectId, status}',
};

type Explained = Shape & { plan: Plan };

/**
 * The lanes do work of each kind, and every operation, queue of jobs and command runs once, while MongoDB writes down their queries; each kind of
 * them is explained afterwards among many other documents, of its project and of another one.
 */
describe('Every query of a request, a job or a lane', function () {
  this.timeout(600_000);
  let shapes: Explained[];
  let collections: string[];
  before(async () => {
    const outside = await openOutside();
    const stage = await startStage({
      lanes: [],
      env: {
        ...{ PUBLIC_RATE_LIMIT: '100000', CONSOLE_FROM: 'console@mail.example.com', MEDIA_STORE: 'mongodb' },
        ...outside.env,
      },
    });
    const { deps, environment } = stage;
    const profile = await profiled(deps, async () => {
      await runLanes(stage, outside);
      const sent = await runByHand(stage);
      await runTraffic({ environment, sent });
    });
    await fill(deps);
    shapes = await explained(deps.mongo.db(deps.config.mongodbDatabase), profile);
    collections = Object.values(deps.db).map(({ collectionName }) => collectionName);
    await stage.stop();
    await outside.stop();
  });

  async function explained(db: Parameters<typeof explain>[0], profile: Document[]): Promise<Explained[]> {
    const found: Explained[] = [];
    for (const shape of shapesOf(profile).values()) found.push({ ...shape, plan: await explain(db, shape) });
    return found;
  }

  const nameOf = ({ collection, filter }: Shape) => `${collection} ${filter}`;
  const shown = (shape: Explained) => `${shape.text}: ${shape.plan.text}`;
  const isOfInstallation = ({ collection }: Shape) => collection in ofInstallation;
  const grows = ({ collection }: Shape) => collection in shardKeys;
  const isRead = ({ op }: Shape) => op === 'find' || op.startsWith('aggregate');
  /** At most the documents that it names are read. */
  const isOfIds = ({ plan }: Explained) => plan.firstKeys.every((key) => key === '_id');
  /** A segment is compared with every contact of its project, a page at a time. */
  const isRecompute = ({ collection, filter }: Shape) =>
    collection === 'contacts' && /_id: \$lte/.test(filter) && /segmentIds/.test(filter);
  /** One key for each project with a job, whatever waits. */
  const isLookForJobs = ({ op, filter, plans }: Shape) =>
    op === 'aggregate[match group]' &&
    /projectId: \$gte/.test(filter) &&
    [...plans].every((plan) => /^DISTINCT/.test(plan));

  it('is one of several hundred, from every collection', () => {
    expect(shapes.length).to.be.above(600);
    const seen = new Set(shapes.map(({ collection }) => collection));
    expect(collections.filter((name) => !seen.has(name))).to.have.members(Object.keys(notReached));
  });

  it('may be one of a lane', () => {
    const seen = new Set(shapes.map(({ text }) => text));
    expect(Object.entries(STEPS).filter(([, text]) => !seen.has(text))).to.deep.equal([]);
  });

  it('names its project, or is in the table', () => {
    const known = { ...withoutProject, ...withoutProjectAtTimes, ...scans };
    const faults = shapes.filter(
      (shape) => !shape.namesProject && !isOfInstallation(shape) && !isLookForJobs(shape) && !(nameOf(shape) in known),
    );
    expect(faults.map(shown)).to.deep.equal([]);
  });

  it('scans no collection, or is in the table', () => {
    expect(shapes.filter((shape) => shape.plan.scans && !(nameOf(shape) in scans)).map(shown)).to.deep.equal([]);
  });

  it('uses an index that begins with its project, or the ids that it names', () => {
    const faults = shapes.filter((shape) => {
      if (!shape.namesProject) return false;
      return shape.plan.firstKeys.some((key) => {
        if (`${shape.collection} ${key}` in otherIndexes) return false;
        if (key === '_id') return !/[{ ]_id(: \$(in|eq)( [^,}]*)?)?[,}]/.test(shape.filter);
        return key !== 'projectId';
      });
    });
    expect(faults.map(shown)).to.deep.equal([]);
  });

  it('neither sorts documents of a collection that grows, nor reads them for nothing', () => {
    const faults = shapes.filter(
      (shape) =>
        grows(shape) &&
        isRead(shape) &&
        !isOfIds(shape) &&
        !isRecompute(shape) &&
        (shape.plan.sorts || shape.plan.wasted > WASTED_MAX) &&
        !(nameOf(shape) in reading),
    );
    expect(faults.map(shown)).to.deep.equal([]);
  });

  it('names the whole shard key where it inserts what is not there, and the old one where it changes that', () => {
    const keyOf = ({ collection }: Shape): ShardKey => (shardKeys as Record<string, ShardKey>)[collection] ?? {};
    const lacks = (shape: Shape, filter: Document) => Object.keys(keyOf(shape)).some((field) => !(field in filter));
    const updates = shapes.filter(grows).flatMap((shape) => {
      const { query, update, upsert, updates: [one] = [] } = shape.command;
      return [{ shape, filter: one?.q ?? query, change: one?.u ?? update, upsert: one?.upsert ?? upsert }];
    });
    const faults = updates.filter(({ shape, filter, change, upsert }) => {
      const changed = Object.keys(change?.$set ?? {}).some((field) => field in keyOf(shape));
      return (upsert || changed) && lacks(shape, filter);
    });
    expect(faults.map(({ shape }) => shape.text)).to.deep.equal([]);
    expect(updates.filter(({ upsert }) => upsert).length).to.be.above(0);
    const moves = updates.filter(({ shape, change }) => shape.collection === 'contacts' && change?.$set?.email);
    expect(moves.length).to.be.above(0);
  });

  it('is what the tables name: they have no entry that is not needed', () => {
    const seen = new Set(shapes.map(nameOf));
    const named = Object.keys({ ...withoutProject, ...scans, ...reading });
    expect(named.filter((name) => !seen.has(name))).to.deep.equal([]);
    const used = new Set(shapes.flatMap(({ collection, plan }) => plan.firstKeys.map((key) => `${collection} ${key}`)));
    expect(Object.keys(otherIndexes).filter((name) => !used.has(name))).to.deep.equal([]);
  });
});
