import type { ImportProgress } from '../../core/people/imports/progress.ts';
import type { RecomputeProgress } from '../../core/people/lists/recompute.ts';
import type { Scenario } from '../workflows/scenarios.ts';

const projectId = '0123456789abcdef01234567';
const importRun = { projectId, importId: '89abcdef0123456789abcdef' };
const segmentRun = { projectId, listId: '89abcdef0123456789abcdef' };

function importScenario(name: string, slices: ImportProgress[]): Scenario {
  let reads = 0;
  return {
    type: 'contactImport',
    name,
    activities: { importContactsSlice: async () => slices[Math.min(reads++, slices.length - 1)] },
    async run(stage) {
      const handle = await stage.start('contactImport', stage.newId(`import-${name}`), [importRun], {
        ProjectId: projectId,
        State: 'queued',
      });
      await handle.result();
      return handle;
    },
  };
}

function segmentScenario(name: string, slices: RecomputeProgress[]): Scenario {
  let looks = 0;
  return {
    type: 'segmentRecompute',
    name,
    activities: { recomputeSegmentSlice: async () => slices[Math.min(looks++, slices.length - 1)] },
    async run(stage) {
      const handle = await stage.start('segmentRecompute', stage.newId(`segment-${name}`), [segmentRun], {
        ProjectId: projectId,
        State: 'running',
      });
      await handle.result();
      return handle;
    },
  };
}

const running: ImportProgress = { status: 'running', rows: 500, failed: 1, percent: 50 };
const looking: RecomputeProgress = { status: 'running', processed: 500, total: 1_000, waitMs: 0 };

export const audienceScenarios: Scenario[] = [
  importScenario('in-two-slices', [running, { status: 'completed', rows: 1_000, failed: 2, percent: 100 }]),
  importScenario('deleted-meanwhile', [running, { status: 'deleted', rows: 0, failed: 0, percent: 0 }]),
  segmentScenario('looked-at-twice', [
    looking,
    { ...looking, status: 'settling', processed: 1_000, waitMs: 200 },
    { ...looking, status: 'completed', processed: 1_000 },
  ]),
  segmentScenario('deleted-meanwhile', [looking, { ...looking, status: 'deleted' }]),
];
