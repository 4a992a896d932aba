import { expect } from 'chai';
import type { Document } from 'mongodb';
import { type ShardKey, shardKeys } from '../../platform/sharding/keys.ts';
import { startEnvironment } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';
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
import { type Shape, shapesOf } from './shapes.ts';
import { runTraffic } from './traffic.ts';

/** Fewer documents are read for nothing by ranges that end in their middle. */
const WASTED_MAX = 45;

type Explained = Shape & { plan: Plan };

/**
 * Every operation, queue of jobs and command runs once while MongoDB writes down its queries; each kind of them is explained afterwards among many
 * other documents, of its project and of another one.
 */
describe('Every query of a request or a job', function () {
  this.timeout(300_000);
  let shapes: Explained[];
  let collections: string[];
  before(async () => {
    const environment = await startEnvironment({
      PUBLIC_RATE_LIMIT: '100000',
      ...{ CONSOLE_FROM: 'console@mail.example.com', MEDIA_STORE: 'mongodb' },
    });
    const { deps } = environment;
    const profile = await profiled(deps, () => runTraffic({ environment }));
    await fill(deps);
    shapes = await explained(deps.mongo.db(deps.config.mongodbDatabase), profile);
    collections = Object.keys(deps.db);
    await environment.stop();
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
    expect(shapes.length).to.be.above(300);
    const seen = new Set(shapes.map(({ collection }) => collection));
    expect(collections.filter((name) => !seen.has(name))).to.have.members(Object.keys(notReached));
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
        if (key === '_id') return !/[{ ]_id(: \$(in|eq)( [^,}]*)?)?[,}]/.test(shape.filter);
        return key !== 'projectId' && !(`${shape.collection} ${key}` in otherIndexes);
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
