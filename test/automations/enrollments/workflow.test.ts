import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, Worker, type WorkflowBundle } from '@temporalio/worker';
import { expect } from 'chai';
import type { Directive } from '../../../core/automations/enrollments/advance.ts';
import { workflowBundle } from '../../../workers/temporal.ts';
import { signals } from '../../../workflows/messages.ts';
import { until } from '../../support/wait.ts';
import { openStage, type Stage, silent } from '../../workflows/support.ts';

type Answer = Directive | Error | (() => Promise<Directive>);

describe('The workflow automationEnrollment', function () {
  this.timeout(120_000);
  let stage: Stage;
  const answers = new Map<string, Answer[]>();
  const calls = new Map<string, number[]>();
  before(async () => {
    stage = await openStage({
      advanceEnrollment: async ({ enrollmentId }: { enrollmentId: string }) => {
        const made = calls.get(enrollmentId) ?? [];
        calls.set(enrollmentId, [...made, Date.now()]);
        const answer = answers.get(enrollmentId)?.[made.length];
        if (answer instanceof Error) throw answer;
        return typeof answer === 'function' ? answer() : answer;
      },
    });
  });
  after(() => stage.stop());

  const completed: Directive = { kind: 'end', status: 'completed', reason: null };
  const wait = (ms: number): Directive => ({ kind: 'wait', untilMs: Date.now() + ms, label: 'wait, then m' });
  async function start(enrollmentId: string, given: Answer[], more: object = {}) {
    answers.set(enrollmentId, given);
    const input = { enrollmentId, projectId: 'p', automationId: 'a', ...more };
    return stage.start('automationEnrollment', stage.newId(enrollmentId), [input]);
  }
  const timesOf = (enrollmentId: string) => calls.get(enrollmentId) ?? [];

  it('asks, waits until the absolute time that it is given, and asks again', async () => {
    const handle = await start('waits', [async () => wait(1_500), completed]);
    expect(await handle.result()).to.deep.equal(completed);
    const [first, second] = timesOf('waits');
    expect(Number(second) - Number(first)).to.be.at.least(1_450);
    expect((await handle.describe()).status.name).to.equal('COMPLETED');
  });

  it('given its first wait, it asks when that is over and not before, or on a signal', async () => {
    const given = (ms: number) => ({ wait: { untilMs: Date.now() + ms, label: 'wait, then m' } });
    const began = Date.now();
    const waits = await start('given', [completed], given(1_500));
    const told = await start('given and told', [completed], given(3_600_000));
    expect(await told.query<Directive | null>('state')).to.deep.include({ kind: 'wait', label: 'wait, then m' });
    expect(timesOf('given and told')).to.deep.equal([]);
    await told.signal(signals.control);
    expect(await told.result()).to.deep.equal(completed);
    expect(await waits.result()).to.deep.equal(completed);
    expect(timesOf('given').map((at) => at - began >= 1_450)).to.deep.equal([true]);
  });

  it('does not wait for what is over', async () => {
    const handle = await start('over', [wait(-1_000), wait(0), completed]);
    await handle.result();
    expect(timesOf('over').length).to.equal(3);
    const { events } = await handle.fetchHistory();
    expect(events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes)).to.equal(false);
  });

  it('looks at once on a signal, and reports the step of the person', async () => {
    const handle = await start('told', [wait(3_600_000), wait(3_600_000), completed]);
    for (const count of [1, 2]) {
      await until(
        async () => timesOf('told').length,
        (made) => made === count,
      );
      const state = await until(
        () => handle.query<Directive | null>('state'),
        (one) => one !== null,
      );
      expect(state).to.deep.include({ kind: 'wait', label: 'wait, then m' });
      await handle.signal(signals.control);
    }
    expect(await handle.result()).to.deep.equal(completed);
  });

  it('on a signal while it parks, it looks again instead of ending: a resume is never missed', async () => {
    const asking = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Directive>();
    const handle = await start('parks', [
      () => {
        asking.resolve();
        return answer.promise;
      },
      completed,
    ]);
    await asking.promise;
    await handle.signal(signals.control);
    answer.resolve({ kind: 'parked', stepId: 'w' });
    expect(await handle.result()).to.deep.equal(completed);
  });

  it('parked, the run ends, so that a waiting person costs nothing', async () => {
    const handle = await start('parked', [{ kind: 'parked', stepId: 'w' }]);
    expect(await handle.result()).to.deep.equal({ kind: 'parked', stepId: 'w' });
  });

  it('tries a step again that failed', async () => {
    const handle = await start('fails', [
      ApplicationFailure.create({ type: 'UNAVAILABLE', message: 'away' }),
      completed,
    ]);
    expect(await handle.result()).to.deep.equal(completed);
    expect(timesOf('fails').length).to.equal(2);
  });

  it('a changed order of decisions does not replay the runs of people who are inside', async () => {
    const reordered = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./reordered.ts', import.meta.url)),
      logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    });
    expect(await replayFault(reordered)).to.match(/TMPRL1100|Nondeterminism|DeterminismViolation/i);
    expect(await replayFault(await workflowBundle(silent, process.env.WORKFLOW_BUNDLE))).to.equal(null);
  });
});

async function replayFault(bundle: WorkflowBundle): Promise<string | null> {
  const file = new URL('../../histories/automationEnrollment/three-waits.json', import.meta.url);
  const history = historyFromJSON(JSON.parse(readFileSync(file, 'utf8')));
  const replays = Worker.runReplayHistories({ workflowBundle: bundle }, [{ workflowId: 'replayed', history }]);
  for await (const { error } of replays) if (error) return `${error.name}: ${error.message}`;
  return null;
}
