import { type Way, waysOf } from '../../graph/flow.ts';
import { Impossible, type Step, type Steps } from './steps.ts';

const NO_MAIL = 'No mail comes before it: put it after the mail that it asks about.';

/** The mails that lead to a step, the nearest first. */
export function mailsBefore(steps: Steps, stepId: string): Step[] {
  const before = sourcesOf(waysOf(steps));
  const byId = new Map(steps.map((step) => [step.stepId, step]));
  const seen = new Set<string>();
  const open = [...(before.get(stepId) ?? [])];
  for (const id of open) {
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(before.get(id) ?? []));
  }
  return [...seen].flatMap((id) => byId.get(id) ?? []).filter(({ type }) => type === 'email');
}

/** A wait for an act on a mail is about the nearest mail before it, until it names another. */
export function nameMail(steps: Steps, step: Step): void {
  const { eventName = '', emailStepId } = step.waitEvent ?? {};
  if (!eventName.startsWith('email.') || emailStepId) return;
  const [mail] = mailsBefore(steps, step.stepId);
  if (!mail) throw new Impossible(NO_MAIL);
  step.waitEvent = { ...step.waitEvent, emailStepId: mail.stepId };
}

function sourcesOf(ways: readonly Way[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  for (const { from, to } of ways) {
    const known = sources.get(to);
    if (known) known.push(from);
    else sources.set(to, [from]);
  }
  return sources;
}
