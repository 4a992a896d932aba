import type { AutomationStep } from '../../../../client/index.ts';
import { updateName } from './update.ts';
import { webhookName } from './webhook.ts';
import { readable } from './words.ts';

/** How people pass the steps, as the interface resolves links that are left out. */

export interface Way {
  id: string;
  /** A step, or ENTRY. */
  from: string;
  /** A step, or END. */
  to: string;
  /** Of a branch step: the branch that is taken, null when none holds. Of a wait_event, and a webhook that is waited for: how it ends, as the history says it. */
  branchId?: string | null;
  label?: string;
}

/** The part of the graph that a simulated contact has passed. */
export interface Walked {
  steps: ReadonlySet<string>;
  ways: ReadonlySet<string>;
  at: string | null;
}

export const ENTRY = '\u0000entry';
export const END = '\u0000end';
export const OTHERWISE = 'otherwise';
const NOT_IN_TIME = 'not in time';

type Step = AutomationStep;

interface TemplateNames {
  of(templateId: string): { thing?: { templateName: string } } | null | undefined;
}

export function waysOf(steps: readonly Step[]): Way[] {
  const known = new Set(steps.map(({ stepId }) => stepId));
  const firsts = new Map<string, string>();
  const followers = new Map<string, string>();
  const latest = new Map<string, string>();
  for (const step of steps) {
    const place = placeOf(step);
    const before = latest.get(place);
    if (before === undefined) firsts.set(place, step.stepId);
    else followers.set(before, step.stepId);
    latest.set(place, step.stepId);
  }
  const target = (stepId: string | null | undefined) => (stepId && known.has(stepId) ? stepId : END);
  const [first] = steps;
  const ways: Way[] = [{ id: 'entry', from: ENTRY, to: first ? first.stepId : END }];
  for (const step of steps) {
    const { stepId: from } = step;
    if (step.type === 'exit') continue;
    const forks = forksOf(step);
    for (const [index, { branchId, label, ...fork }] of forks.entries()) {
      const to = fork.nextStepId ?? firsts.get(placeIn(from, branchId)) ?? fork.mergeStepId;
      ways.push({ id: `${from}/${index}`, from, to: target(to), branchId, label });
    }
    if (step.type === 'branch')
      ways.push({ id: `${from}/else`, from, to: target(step.nextStepId), branchId: null, label: OTHERWISE });
    else if (step.type !== 'split') {
      const next = step.nextStepId ?? followers.get(from) ?? mergeOf(steps, step);
      if (step.type === 'wait_event') {
        const label = mailActs[step.waitEvent?.eventName ?? '']?.way ?? 'when it comes';
        ways.push({ id: `${from}/heard`, from, to: target(next), branchId: 'heard', label });
        const late = target(step.timeoutStepId ?? next);
        ways.push({ id: `${from}/timed_out`, from, to: late, branchId: 'timed_out', label: NOT_IN_TIME });
      } else if (step.webhook?.wait) {
        ways.push({ id: `${from}/answered`, from, to: target(next), branchId: 'webhook_answered', label: 'answered' });
        const other = target(step.failureStepId ?? next);
        ways.push({ id: `${from}/failed`, from, to: other, branchId: 'webhook_failed', label: 'no answer' });
      } else ways.push({ id: from, from, to: target(next) });
    }
  }
  return ways;
}

/** Where the way around a step ends. */
function mergeOf(steps: readonly Step[], { parentBranchStepId, parentBranchId }: Step): string | null | undefined {
  const owner = steps.find(({ stepId }) => stepId === parentBranchStepId);
  return owner && forksOf(owner).find(({ branchId }) => branchId === parentBranchId)?.mergeStepId;
}

/** The ways out of a branch or a split; those of a split meet at its own next step. */
function forksOf(step: Step) {
  const shares = (step.shares ?? []).map((share) => ({
    ...share,
    label: [share.label, `${share.share} %`].filter(Boolean).join(', '),
    mergeStepId: step.nextStepId,
  }));
  const branches = (step.branches ?? []).map((one, index) => ({ ...one, label: one.label || `branch ${index + 1}` }));
  return [...branches, ...shares];
}

export function placeOf({ parentBranchStepId, parentBranchId }: Pick<Step, 'parentBranchStepId' | 'parentBranchId'>) {
  return parentBranchStepId === null ? '' : placeIn(parentBranchStepId, parentBranchId ?? '');
}

export function placeIn(stepId: string, branchId: string): string {
  return `${stepId}\u0000${branchId}`;
}

/** 'Wait 5 days', 'Thank you, and a first tip', 'Bought again or otherwise'. */
export function nameOf(step: AutomationStep, templates: TemplateNames): string {
  if (step.type === 'wait') return waitName(step.delay);
  if (step.type === 'branch') return branchName(step.branches ?? []);
  if (step.type === 'split') return `Split ${(step.shares ?? []).map(({ share }) => share).join(' / ')}`;
  if (step.type === 'exit') return 'Leave';
  if (step.type === 'wait_until') return untilName(step.until ?? {});
  if (step.type === 'wait_event')
    return `Wait for ${mailActs[step.waitEvent?.eventName ?? '']?.name ?? step.waitEvent?.eventName ?? 'an event'}`;
  if (step.type === 'goal') return step.eventName ? `Goal: ${step.eventName}` : 'Goal: matches a filter';
  if (step.type === 'update_contact') return updateName(step.update ?? {});
  if (step.type === 'webhook') return webhookName(step.webhook ?? {});
  const { subject, templateId, templateName } = step.email ?? {};
  return (
    readable(subject ?? '') || (templateId && templates.of(templateId)?.thing?.templateName) || templateName || 'Mail'
  );
}

/** That a wait may be for: its name, the word on its way out, and how a simulation says that it comes. */
export const mailActs: Readonly<Record<string, { name: string; way: string; comes: string; isLate: string }>> = {
  'email.opened': { name: 'an open', way: 'opened', comes: 'The mail is opened', isLate: 'It is not opened in time' },
  'email.clicked': {
    name: 'a click',
    way: 'clicked',
    comes: 'The mail is clicked',
    isLate: 'It is not clicked in time',
  },
  'email.replied': { name: 'a reply', way: 'answered', comes: 'It is answered', isLate: 'It is not answered in time' },
};

export function waitName(delay: { value: number; unit: string } | undefined): string {
  if (!delay || delay.value === 0) return 'At once';
  const unit = delay.unit === 'mins' ? 'minutes' : delay.unit;
  return `Wait ${delay.value} ${delay.value === 1 ? unit.slice(0, -1) : unit}`;
}

/** 'Wait until 09:00, Mon, Fri', 'Wait until 3 days before renewsAt'. */
function untilName({ time, weekdays, property = '', offset }: NonNullable<AutomationStep['until']>): string {
  const days = (weekdays ?? []).map((day) => day.charAt(0).toUpperCase() + day.slice(1));
  if (time) return `Wait until ${[time, ...days].join(', ')}`;
  const date = property.replace('contactProperties.', '');
  if (!offset || offset.value === 0) return `Wait until ${date}`;
  return `${waitName(offset).replace('Wait', 'Wait until')} ${offset.direction} ${date}`;
}

/** In whose zone a step counts; null: it asks for no time of day. */
export function zoneWords({ type, until }: Pick<AutomationStep, 'type' | 'until'>): string | null {
  if (type !== 'wait_until' || !until?.time) return null;
  if (until.timezone === 'contact') return 'In the zone of each person';
  return until.timezone ? `In the zone ${until.timezone}` : 'In the zone of the project';
}

function branchName(branches: NonNullable<AutomationStep['branches']>): string {
  const labels = branches.map(({ label }, index) => label || `branch ${index + 1}`);
  return labels.length === 1 ? `${labels[0]}?` : labels.join(' / ');
}
