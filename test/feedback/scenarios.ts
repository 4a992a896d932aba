import type { OpensStep, OpensWalk } from '../../activities/opens.ts';
import type { Scenario } from '../workflows/scenarios.ts';

const projectId = '0123456789abcdef01234567';
const first: OpensWalk = {
  ...{ pass: 1, projectId: null, phase: 'project', after: null },
  ...{ projects: 0, mails: 0, changed: 0 },
};
const halfWay: OpensWalk = {
  ...{ pass: 1, projectId, phase: 'opens', after: '89abcdef0123456789abcdef' },
  ...{ projects: 1, mails: 40_000, changed: 1_200 },
};

function opensScenario(name: string, steps: OpensStep[]): Scenario {
  let slices = 0;
  return {
    type: 'opensRecompute',
    name,
    activities: { recomputeOpensSlice: async () => steps[Math.min(slices++, steps.length - 1)] },
    async run(stage) {
      const attributes = { Status: 'running', Phase: 'opens' };
      const handle = await stage.start('opensRecompute', stage.newId(`opens-${name}`), [first], attributes);
      await handle.result();
      return handle;
    },
  };
}

export const opensScenarios: Scenario[] = [
  opensScenario('nothing-stored', [{ next: null, waitMs: 0 }]),
  opensScenario('in-two-passes', [
    { next: halfWay, waitMs: 0 },
    { next: { ...first, pass: 2 }, waitMs: 200 },
    { next: null, waitMs: 0 },
  ]),
];
