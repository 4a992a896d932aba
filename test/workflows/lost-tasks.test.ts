// Promise: nothing is sent twice.
import { expect } from 'chai';
import { openStage, type Stage } from './support.ts';

/** Less than any of these activities may take, and several times the longest that may pass between two heartbeats. */
const SOON_MS = 45_000;

/** The workflow of each activity, and an answer of the activity after which the run ends. */
const cases: [workflow: string, activity: string, answer: object][] = [
  ['campaignSend', 'advanceCampaign', { kind: 'end', status: 'sent', summary: 'sent', details: 'sent' }],
  ['metricsRefresh', 'refreshCampaignMetrics', { status: 'sent', nextMs: null, details: 'final' }],
  ['opensRecompute', 'recomputeOpensSlice', { next: null, waitMs: 0 }],
  ['domainCheck', 'checkDomainRecords', { status: 'VERIFIED', waitsFor: null, message: '' }],
  ['migration', 'beginMigration', { next: 'end', phase: null, status: 'completed', details: 'over' }],
  ['contactImport', 'importContactsSlice', { status: 'completed', rows: 1, failed: 0, percent: 100 }],
  ['segmentRecompute', 'recomputeSegmentSlice', { status: 'completed', processed: 1, total: 1, waitMs: 0 }],
  ['automationEnrollment', 'advanceEnrollment', { kind: 'end', status: 'completed', reason: null }],
];

describe('A task of an activity that is lost', function () {
  this.timeout(180_000);
  let stage: Stage;
  const tries = new Map<string, number>();
  const lost = Promise.withResolvers<void>();
  before(async () => {
    const activities = cases.map(([, name, answer]) => [
      name,
      async () => {
        tries.set(name, (tries.get(name) ?? 0) + 1);
        // Without a heartbeat, like a task that no worker has got.
        if (tries.get(name) === 1) await lost.promise;
        return answer;
      },
    ]);
    stage = await openStage(Object.fromEntries(activities));
  });
  after(async () => {
    lost.resolve();
    await stage.stop();
  });

  it('is begun again long before it would be late, in every workflow', async () => {
    const began = performance.now();
    const late = await Promise.all(
      cases.map(async ([workflow, activity]) => {
        const handle = await stage.start(workflow, stage.newId(workflow), [{}]);
        await handle.result();
        const tookMs = performance.now() - began;
        return tookMs < SOON_MS && tries.get(activity) === 2
          ? []
          : [`${workflow}: ${tries.get(activity)} in ${tookMs} ms`];
      }),
    );
    expect(late.flat()).to.deep.equal([]);
  });
});
