import type { Db, Document } from 'mongodb';
import type { Shape } from './shapes.ts';

/** How MongoDB would run a shape on the filled database. */
export interface Plan {
  /** The first key of each index that is used. */
  firstKeys: string[];
  scans: boolean;
  sorts: boolean;
  /** Documents that were read for nothing. */
  wasted: number;
  text: string;
}

/** Writes are not applied. */
export async function explain(db: Db, { command }: Shape): Promise<Plan> {
  const { ...explained } = command;
  const answer = await db.command({ explain: explained, verbosity: 'executionStats' });
  const stages = stagesOf(answer);
  const keys = stages.flatMap(({ keyPattern }) => (keyPattern ? [keyPattern as Document] : []));
  const names = stages.map(({ stage, keyPattern }) => `${stage}${keyPattern ? ` ${JSON.stringify(keyPattern)}` : ''}`);
  return {
    firstKeys: [...new Set(keys.map((key) => Object.keys(key)[0] as string))],
    scans: stages.some(({ stage }) => stage === 'COLLSCAN'),
    sorts: stages.some(({ stage }) => stage === 'SORT'),
    wasted: wastedOf(answer),
    text: names.join(', '),
  };
}

/** Of the plans that won, wherever they are in the answer. */
function stagesOf(answer: unknown, isInside = false): Document[] {
  if (Array.isArray(answer)) return answer.flatMap((one) => stagesOf(one, isInside));
  if (answer === null || typeof answer !== 'object' || isLeaf(answer)) return [];
  const own = isInside && 'stage' in answer ? [answer as Document] : [];
  const below = Object.entries(answer).flatMap(([key, value]) => {
    if (key === 'rejectedPlans' || key === 'slotBasedPlan' || key === 'executionStats') return [];
    return stagesOf(value, isInside || key === 'winningPlan');
  });
  return [...own, ...below];
}

function wastedOf(answer: unknown): number {
  if (answer === null || typeof answer !== 'object' || isLeaf(answer)) return 0;
  const { totalDocsExamined, nReturned, executionStages } = answer as Document;
  if (typeof totalDocsExamined === 'number') {
    const used = Math.max(nReturned ?? 0, changedBy(executionStages));
    return totalDocsExamined - used;
  }
  return Object.values(answer).reduce((sum: number, value) => Math.max(sum, wastedOf(value)), 0);
}

function changedBy(stage: Document | undefined): number {
  if (!stage) return 0;
  const { nWouldModify = 0, nWouldDelete = 0, nMatched = 0, inputStage } = stage;
  return Math.max(nWouldModify, nWouldDelete, nMatched, changedBy(inputStage));
}

function isLeaf(value: object): boolean {
  return '_bsontype' in value || value instanceof Date;
}
