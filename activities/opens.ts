import { cancellationSignal } from '@temporalio/activity';
import type { ObjectId } from 'mongodb';
import type { Deps } from '../core/base/deps.ts';
import { firstIdAt, parseId } from '../core/base/ids.ts';
import { correctOpenCounts } from '../core/campaigns/numbers/correct-opens.ts';
import { keepOpensRecomputed, recomputeOpens } from '../core/mail/feedback/recompute-opens.ts';
import { beating } from './beating.ts';

/** How far a run is that judges stored opens again. */
export interface OpensWalk {
  pass: number;
  projectId: string | null;
  phase: 'project' | 'opens' | 'campaigns';
  /** The last mail or campaign of this phase. */
  after: string | null;
  /** In this pass. */
  projects: number;
  mails: number;
  changed: number;
}

export interface OpensStep {
  /** The next slice starts with it; null: everything is done. */
  next: OpensWalk | null;
  waitMs: number;
}

export interface OpensActivities {
  recomputeOpensSlice(walk: OpensWalk): Promise<OpensStep>;
}

interface WalkLimits {
  timeMs: number;
  signal?: AbortSignal;
  show?: (walk: OpensWalk) => void;
}

const SLICE_MS = 10_000;
/**
 * Processes of the earlier version may be at work until then, and judge by the earlier rules: passes follow each other until one has
 * found nothing to change.
 */
const PASS_AGAIN_MS = 600_000;

export function opensActivities(deps: Deps): OpensActivities {
  return {
    /** May run twice: what is judged by the rules of today is not changed again. */
    recomputeOpensSlice: (walk) =>
      beating((show) => walkOpens(deps, walk, { timeMs: SLICE_MS, signal: cancellationSignal(), show })),
  };
}

/** Until the pass is over or the time is: the opens of each project, then the campaigns whose numbers follow from them. */
export async function walkOpens(deps: Deps, walk: OpensWalk, { timeMs, signal, show }: WalkLimits): Promise<OpensStep> {
  const deadline = performance.now() + timeMs;
  let at = walk;
  for (;;) {
    const next = await oneBatch(deps, at);
    if (!next) return afterPass(deps, at);
    at = next;
    show?.(at);
    if (performance.now() > deadline || signal?.aborted) return { next: at, waitMs: 0 };
  }
}

/** null: there are no more projects. */
async function oneBatch(deps: Deps, walk: OpensWalk): Promise<OpensWalk | null> {
  const [projectId, after] = [parseId(walk.projectId), parseId(walk.after)];
  if (walk.phase === 'project' || !projectId) {
    const next = await nextProject(deps, projectId);
    return next && { ...walk, projectId: next.toHexString(), phase: 'opens', after: null, projects: walk.projects + 1 };
  }
  if (walk.phase === 'opens') {
    const { after: last, looked, changed } = await recomputeOpens(deps, { projectId, after });
    const sums = { mails: walk.mails + looked, changed: walk.changed + changed };
    return { ...walk, ...sums, phase: last ? 'opens' : 'campaigns', after: last?.toHexString() ?? null };
  }
  const { after: last } = await correctOpenCounts(deps, { projectId, after });
  return { ...walk, phase: last ? 'campaigns' : 'project', after: last?.toHexString() ?? null };
}

async function nextProject({ db }: Deps, after: ObjectId | null): Promise<ObjectId | null> {
  const further = { _id: { $gt: after ?? firstIdAt(0) }, deletedAt: null };
  const found = await db.projects
    .find(further, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(1)
    .next();
  return found?._id ?? null;
}

async function afterPass(deps: Deps, { pass, changed, projects }: OpensWalk): Promise<OpensStep> {
  const isSure = changed === 0 && (pass > 1 || projects === 0);
  if (!isSure) return { next: passFrom(pass + 1), waitMs: PASS_AGAIN_MS };
  await keepOpensRecomputed(deps);
  return { next: null, waitMs: 0 };
}

function passFrom(pass: number): OpensWalk {
  return { pass, projectId: null, phase: 'project', after: null, projects: 0, mails: 0, changed: 0 };
}
