import { humanClicks } from '../../mail/messages/clicks.ts';
import type { Engagement } from '../../mail/messages/model.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, Heard } from '../model/enrollment.ts';
import type { MailAct } from '../rules/awaited.ts';
import type { CompiledAutomation } from '../rules/compile.ts';

/**
 * Of a person who moves to another version: the opens and clicks that its steps wait for, and that came before the move. The version that
 * sent the mail may have waited for none of them.
 */
export async function withHeardBefore(
  deps: AutomationsDeps,
  enrollment: Enrollment,
  { graph, awaited }: CompiledAutomation,
): Promise<Enrollment> {
  const { projectId, stepId, history, heard = [] } = enrollment;
  const step = graph.byId.get(stepId ?? '');
  if (!step || !awaited.hasMailWaits(step)) return enrollment;
  const stepOf = new Map(
    history.flatMap(({ emailId, ...sent }) => (emailId ? [[emailId.toHexString(), sent.stepId]] : [])),
  );
  const ids = history.flatMap(({ emailId }) => emailId ?? []);
  const engagements = await deps.db.engagements.find({ _id: { $in: ids }, projectId }).toArray();
  const before = engagements.flatMap((engagement) => {
    const emailStepId = stepOf.get(engagement._id.toHexString());
    if (emailStepId === undefined) return [];
    return actsOn(engagement, deps.config.automatedOpenSeconds).flatMap(({ at, ...act }) =>
      awaited.waitsFrom(step, { ...act, emailStepId }).map((wait): Heard => ({ stepId: wait.stepId, at })),
    );
  });
  const first = new Map<string, Heard>();
  for (const one of [...heard, ...before.toSorted((a, b) => a.at.getTime() - b.at.getTime())])
    if (!first.has(one.stepId)) first.set(one.stepId, one);
  return first.size === 0 ? enrollment : { ...enrollment, heard: [...first.values()] };
}

function actsOn(engagement: Engagement, automatedSeconds: number): Array<Omit<MailAct, 'emailStepId'> & { at: Date }> {
  const { humanOpenedAt } = engagement;
  return [
    ...(humanOpenedAt ? [{ event: 'email.opened' as const, at: humanOpenedAt }] : []),
    ...humanClicks(engagement, automatedSeconds).map(({ url, at }) => ({ event: 'email.clicked' as const, url, at })),
  ];
}
