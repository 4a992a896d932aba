import { pendingOf } from '../../core/automations/by-hand/jobs.ts';
import type { EnrollmentJob } from '../../core/automations/by-hand/model.ts';
import type { DateSearch } from '../../core/automations/dates/model.ts';
import type { EnrollmentView } from '../../core/automations/enrollments/enrollments.ts';
import type { Automation } from '../../core/automations/model/automation.ts';
import type { AutomationStep } from '../../core/automations/model/definition.ts';
import type { EventDefinition, EventRecord } from '../../core/automations/model/event.ts';
import { reentryOf } from '../../core/automations/rules/entering/reentry.ts';
import type { SimulatedAutomation } from '../../core/automations/simulation/simulate.ts';
import type { Inside, Statistics } from '../../core/automations/statistics.ts';
import type { AutomationWarning } from '../../core/automations/warnings.ts';

/** The wire shapes of automations and events. */

export function presentAutomation(
  automation: Automation,
  { inside, ...more }: { statistics?: Statistics; warnings?: AutomationWarning[]; inside?: Inside } = {},
) {
  const { _id, projectId, organizationId, createdBy = null, name, description, status } = automation;
  const {
    entryCriteria,
    exitCriteria,
    steps,
    tags,
    unsubscribeGroupId,
    trackingOpen,
    trackingClick,
    utm = null,
  } = automation;
  const { version, draft = null, draftRevision = 0, dates, activeAt, createdAt, updatedAt } = automation;
  return {
    id: _id,
    projectId,
    organizationId,
    createdBy,
    name,
    description,
    status,
    entryCriteria,
    reentry: reentryOf(automation),
    exitCriteria,
    steps: steps.map(presentStep),
    tags,
    ...(unsubscribeGroupId === null ? {} : { unsubscribeGroupId }),
    trackingOpen,
    trackingClick,
    utm,
    version,
    draft: draft && { ...draft, isOutdated: draft.baseVersion !== version, ...inside },
    draftRevision,
    ...(dates ? { dates: presentSearch(dates) } : {}),
    activeAt,
    createdAt,
    updatedAt,
    ...more,
  };
}

/** Headers of a webhook by their names alone; of a mail the HTML, without the source of its text part. */
function presentStep(step: AutomationStep) {
  if (step.type === 'email') {
    const { text: _, ...email } = step.email;
    return { ...step, email };
  }
  if (step.type !== 'webhook') return step;
  const { sealedHeaders, ...webhook } = step.webhook;
  const named = sealedHeaders ? { headers: sealedHeaders.names.map((name) => ({ name })) } : {};
  return { ...step, webhook: { ...webhook, ...named } };
}

/** The second look finds little. */
function presentSearch({ status, looked, total }: DateSearch) {
  return { status: status === 'running' ? status : 'completed', looked, total };
}

/** With `existing: keep` all stay where they are. */
export function presentInside({ inside, leaving }: Inside, existing: 'keep' | 'move' = 'keep') {
  if (existing === 'keep') return { kept: inside, moved: 0, leaving: 0 };
  const leave = leaving.reduce((sum, step) => sum + step.inside, 0);
  return { kept: 0, moved: inside - leave, leaving: leave };
}

export function presentEnrollment({ enrollment, email, nextStepId }: EnrollmentView) {
  const { _id, contactId, status, stepId, waitUntil, parked, exitReason, version, enteredAt, endedAt } = enrollment;
  return {
    id: _id,
    contactId,
    email,
    status,
    stepId,
    nextStepId,
    wakeAt: waitUntil,
    parked,
    exitReason,
    version,
    enteredAt,
    endedAt,
    history: enrollment.history,
  };
}

export function presentEnrollmentJob(job: EnrollmentJob) {
  const { _id, automationId, status, total, entered, skipped, missing, missingNamed } = job;
  const { createdAt, updatedAt, completedAt } = job;
  return {
    id: _id,
    automationId,
    status,
    total,
    entered,
    skipped,
    missing,
    missingNamed,
    pending: pendingOf(job),
    createdAt,
    updatedAt,
    completedAt,
  };
}

export function presentEventDefinition(definition: EventDefinition) {
  const { _id, projectId, eventName, description, properties, createdAt, updatedAt } = definition;
  return { id: _id, eventName, description, properties, projectId, createdAt, updatedAt };
}

export function presentEventRecord({ _id, eventName, contactId, properties, createdAt }: EventRecord) {
  return { id: _id, eventName, contactId, properties, createdAt };
}

export function presentSimulation({ mails, entries, skipped, preview }: SimulatedAutomation) {
  const happened = entries.flatMap(({ steps }) => steps);
  return {
    entered: entries.length > 0,
    mails,
    branches: happened.flatMap((happening) => {
      if (happening.type !== 'branch') return [];
      const { at, stepId, branchId, rule } = happening;
      return [{ at, stepId, branchId, rule }];
    }),
    exit: entries.at(-1)?.exit ?? null,
    entries: entries.map(({ steps, ...entry }) => ({ ...entry, steps: steps.map(presentHappening) })),
    skipped,
    preview,
  };
}

function presentHappening(happening: SimulatedAutomation['entries'][number]['steps'][number]) {
  if (happening.type !== 'wait' && happening.type !== 'webhook') return happening;
  const { untilMs, ...rest } = happening;
  return untilMs === undefined ? rest : { ...rest, until: new Date(untilMs) };
}
