import type { WorkflowHandle } from '@temporalio/client';
import type { Directive } from '../../core/automations/enrollments/advance.ts';
import { signals } from '../../workflows/messages.ts';
import { until } from '../support/wait.ts';
import type { Scenario } from '../workflows/scenarios.ts';

const person = {
  enrollmentId: '00112233445566778899aabb',
  projectId: '0123456789abcdef01234567',
  automationId: '89abcdef0123456789abcdef',
};
const attributes = { ProjectId: person.projectId, AutomationId: person.automationId, ContactId: person.enrollmentId };
const completed: Directive = { kind: 'end', status: 'completed', reason: null };
const wait =
  (ms: number, label = 'wait 3 days, then welcome-2') =>
  (): Directive => ({
    kind: 'wait',
    untilMs: Date.now() + ms,
    label,
  });

/** Each answer of the activity in turn. */
function enrollmentScenario(
  name: string,
  directives: Array<Directive | (() => Directive)>,
  meanwhile: (handle: WorkflowHandle) => Promise<void> = async () => undefined,
  /** The first wait, that the run is started with. */
  firstMs: number | null = null,
): Scenario {
  let asked = 0;
  return {
    type: 'automationEnrollment',
    name,
    activities: {
      advanceEnrollment: async () => {
        const directive = directives[Math.min(asked++, directives.length - 1)];
        return typeof directive === 'function' ? directive() : directive;
      },
    },
    async run(stage) {
      const first = firstMs === null ? {} : { wait: { untilMs: Date.now() + firstMs, label: 'wait 3 days, then m1' } };
      const input = { ...person, ...first };
      const handle = await stage.start('automationEnrollment', stage.newId(`enrollment-${name}`), [input], attributes);
      await meanwhile(handle);
      await handle.result();
      return handle;
    },
  };
}

async function askWhileWaiting(handle: WorkflowHandle): Promise<void> {
  await until(
    () => handle.fetchHistory(),
    ({ events }) => events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes) === true,
  );
  await handle.signal(signals.control);
}

const exited: Directive = { kind: 'end', status: 'exited', reason: 'unsubscribed' };
const parked: Directive = { kind: 'parked', stepId: 'w1' };

export const automationScenarios: Scenario[] = [
  enrollmentScenario('three-waits', [wait(20), wait(20), wait(20), completed]),
  enrollmentScenario('without-a-wait', [completed]),
  enrollmentScenario('wait-that-is-over', [wait(0), wait(-5), completed]),
  enrollmentScenario('parked', [wait(20), parked]),
  enrollmentScenario('unsubscribed-while-waiting', [wait(600_000), exited], askWhileWaiting),
  enrollmentScenario(
    'moved-while-waiting',
    [wait(600_000), wait(20, 'wait 1 day, then other'), completed],
    askWhileWaiting,
  ),
  enrollmentScenario('given-its-first-wait', [wait(20), completed], undefined, 20),
  enrollmentScenario('unsubscribed-in-the-first-wait', [exited], askWhileWaiting, 600_000),
];
