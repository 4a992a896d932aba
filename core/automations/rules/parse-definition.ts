import type { updateAutomationBody } from '../../../schemas/automations/automations.ts';
import type { Described } from '../../../schemas/schema.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import type {
  AutomationEmail,
  AutomationStep,
  AutomationUntil,
  AutomationUpdate,
  AutomationWaitEvent,
  AutomationWebhook,
  EntryCriteria,
  ExitCriteria,
  Reentry,
} from '../model/definition.ts';
import type { DateCriteria } from './dates.ts';
import { sameNames, storedHeaders } from './webhooks/faults.ts';

type Definition = Described<typeof updateAutomationBody>;
export type StepInput = NonNullable<Definition['steps']>[number];
export type WebhookInput = NonNullable<StepInput['webhook']>;
type EntryInput = NonNullable<Definition['entryCriteria']>;

import { isMailEvent } from './awaited.ts';

/** Left out: a fault of the definition. */
const NO_DELAY = { value: -1, unit: 'minutes' } as const;
const OBJECT_ID = /^[0-9a-f]{24}$/i;

/** The canonical steps. `newId` makes the ids that the caller left out; `before` are the steps that these replace. */
export function readSteps(
  input: readonly StepInput[],
  newId: (place: string) => string,
  before: readonly AutomationStep[] = [],
): AutomationStep[] {
  return input.map((step, index) => {
    const read = readStep(step, index, newId);
    return read.type === 'webhook' ? withHeaders(read, step.webhook ?? {}, before, newId(`headers ${index}`)) : read;
  });
}

/** Headers that are named alone, as answers show them, are those that the step has. */
function withHeaders(
  step: AutomationStep & { type: 'webhook' },
  { headers = [] }: WebhookInput,
  before: readonly AutomationStep[],
  id: string,
): AutomationStep {
  if (headers.length === 0) return step;
  const names = headers.map(({ name }) => name);
  const stored = storedHeaders(step, before);
  const isKept = stored && sameNames(stored.names, names) && headers.every(({ value }) => value === undefined);
  return { ...step, webhook: { ...step.webhook, sealedHeaders: isKept ? stored : { id, names } } };
}

function readStep(step: StepInput, index: number, newId: (place: string) => string): AutomationStep {
  const common = {
    stepId: step.stepId ?? newId(`step ${index}`),
    nextStepId: step.nextStepId || null,
    parentBranchStepId: step.parentBranchStepId || null,
    parentBranchId: step.parentBranchId || null,
    checkExitCriteria: step.checkExitCriteria ?? true,
  };
  if (step.type === 'wait') return { ...common, type: 'wait', delay: step.delay ?? NO_DELAY };
  if (step.type === 'wait_until') return { ...common, type: 'wait_until', until: readUntil(step.until ?? {}) };
  if (step.type === 'email') return { ...common, type: 'email', email: readEmail(step.email ?? {}) };
  if (step.type === 'exit') return { ...common, type: 'exit' };
  if (step.type === 'update_contact')
    return { ...common, type: 'update_contact', update: readUpdate(step.update ?? {}) };
  if (step.type === 'wait_event') {
    const timeoutStepId = step.timeoutStepId || null;
    return { ...common, type: 'wait_event', waitEvent: readWaitEvent(step.waitEvent ?? {}), timeoutStepId };
  }
  if (step.type === 'goal') return { ...common, type: 'goal', ...readGoal(step) };
  if (step.type === 'webhook') {
    const failureStepId = step.failureStepId || null;
    return { ...common, type: 'webhook', webhook: readWebhook(step.webhook ?? {}), failureStepId };
  }
  if (step.type === 'split') {
    const shares = (step.shares ?? []).map(({ branchId, label = '', share, nextStepId }, number) => ({
      branchId: branchId ?? newId(`share ${index}/${number}`),
      label,
      share,
      nextStepId: nextStepId || null,
    }));
    return { ...common, type: 'split', shares };
  }
  const branches = (step.branches ?? []).map((branch, number) => ({
    branchId: branch.branchId ?? newId(`branch ${index}/${number}`),
    label: branch.label ?? '',
    triggerType: branch.triggerType ?? ('contact_property_matches_with' as const),
    filterCriteria: readCriteria(branch.filterCriteria),
    appliesTo: branch.appliesTo ?? ('branch_entry' as const),
    nextStepId: branch.nextStepId || null,
    mergeStepId: branch.mergeStepId || null,
  }));
  return { ...common, type: 'branch', branches };
}

export function readEntry(input: EntryInput | undefined): EntryCriteria {
  const entry: EntryCriteria = { type: input?.type ?? 'contact_created' };
  const { listId, formId, address, eventName, property, fromValue, toValue } = input ?? {};
  if (listId) entry.listId = OBJECT_ID.test(listId) ? listId.toLowerCase() : listId;
  if (formId) entry.formId = OBJECT_ID.test(formId) ? formId.toLowerCase() : formId;
  if (address) entry.address = normalizeEmail(address) ?? address;
  if (eventName) entry.eventName = eventName;
  if (property) entry.property = property;
  if (fromValue !== undefined && fromValue !== null) entry.fromValue = fromValue;
  if (toValue !== undefined && toValue !== null) entry.toValue = toValue;
  if (entry.type === 'date_reached') Object.assign(entry, readDate(input ?? {}));
  const filterCriteria = readCriteria(input?.filterCriteria);
  if (filterCriteria) entry.filterCriteria = filterCriteria;
  return entry;
}

function readDate({ property, offset, time, yearly }: NonNullable<EntryInput>): DateCriteria {
  return {
    ...(property ? { property: canonical(property) } : {}),
    ...(offset ? { offset: { value: offset.value, unit: offset.unit, direction: offset.direction } } : {}),
    ...(time === undefined ? {} : { time }),
    yearly: yearly ?? false,
  };
}

function canonical(property: string): string {
  return property.replace(/^customFields\./, 'contactProperties.');
}

/** As a part of a definition; left out when the caller gave none. */
export function readReentry(input: Reentry | undefined): { reentry?: Reentry } {
  if (input === undefined) return {};
  return { reentry: typeof input === 'string' ? input : { afterDays: input.afterDays } };
}

export function readExit(input: { type?: ExitCriteria['type'] | undefined } | undefined): ExitCriteria {
  return { type: input?.type ?? 'workflow_complete' };
}

function readUntil(input: NonNullable<StepInput['until']>): AutomationUntil {
  const until: AutomationUntil = {};
  const { time, weekdays, timezone, latestAfterDays, property, offset } = input;
  if (time !== undefined) until.time = time;
  if (weekdays !== undefined) until.weekdays = weekdays;
  if (timezone !== undefined) until.timezone = timezone;
  if (latestAfterDays !== undefined) until.latestAfterDays = latestAfterDays;
  if (property !== undefined) until.property = canonical(property);
  if (offset) until.offset = { value: offset.value, unit: offset.unit, direction: offset.direction };
  return until;
}

function readWaitEvent(input: NonNullable<StepInput['waitEvent']>): AutomationWaitEvent {
  const { eventName = '', timeout = NO_DELAY, since = isMailEvent(eventName) ? 'entry' : 'step' } = input;
  const waitEvent: AutomationWaitEvent = { eventName, timeout: { value: timeout.value, unit: timeout.unit }, since };
  const filterCriteria = readCriteria(input.filterCriteria);
  if (filterCriteria) waitEvent.filterCriteria = filterCriteria;
  if (input.emailStepId) waitEvent.emailStepId = input.emailStepId;
  if (input.url) waitEvent.url = input.url;
  return waitEvent;
}

function readGoal({ eventName, filterCriteria }: Pick<StepInput, 'eventName' | 'filterCriteria'>) {
  const criteria = readCriteria(filterCriteria);
  return { ...(eventName && { eventName }), ...(criteria && { filterCriteria: criteria }) };
}

function readEmail(input: NonNullable<StepInput['email']>): AutomationEmail {
  const email: AutomationEmail = {};
  for (const field of [
    'templateId',
    'templateName',
    'htmlTemplate',
    'subject',
    'previewText',
    'senderEmail',
    'senderName',
    'senderReplyToEmail',
    'senderReplyToName',
    'projectId',
  ] as const)
    if (input[field]) email[field] = input[field];
  if (input.whenCapped) email.whenCapped = input.whenCapped;
  if (input.inlinePictures) email.inlinePictures = true;
  // Fields that the schema does not know are not stored.
  if (input.tags && input.tags.length > 0) email.tags = input.tags.map(({ name, value }) => ({ name, value }));
  return email;
}

function readUpdate(input: NonNullable<StepInput['update']>): AutomationUpdate {
  const update: AutomationUpdate = {};
  const { contactProperties = {} } = input;
  if (Object.keys(contactProperties).length > 0) update.contactProperties = { ...contactProperties };
  for (const field of ['addListIds', 'removeListIds'] as const) {
    const ids = new Set(input[field]?.map((id) => (OBJECT_ID.test(id) ? id.toLowerCase() : id)));
    if (ids.size > 0) update[field] = [...ids];
  }
  return update;
}

function readWebhook({ url, webhookId, wait = false, timeout }: WebhookInput): AutomationWebhook {
  const webhook: AutomationWebhook = { wait };
  if (url) webhook.url = url;
  if (timeout) webhook.timeout = { value: timeout.value, unit: timeout.unit };
  if (webhookId) webhook.webhookId = OBJECT_ID.test(webhookId) ? webhookId.toLowerCase() : webhookId;
  return webhook;
}

function readCriteria(input: Record<string, unknown> | undefined): Record<string, unknown> | null {
  return input && Object.keys(input).length > 0 ? input : null;
}
