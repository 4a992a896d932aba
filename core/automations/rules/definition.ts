import { CONTACT_FIELDS, CONTACT_PROPERTY } from '../../../schemas/people/contacts.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { repeatedName } from '../../base/text/tags.ts';
import {
  type DeclaredTypes,
  parseFilter,
  SEARCHED_LENGTH_MAX,
  searchedLength,
  searchedTooLong,
  storedForm,
} from '../../people/filters/filters.ts';
import type {
  AutomationDefinition,
  AutomationEmail,
  AutomationStep,
  AutomationWaitEvent,
  EntryCriteria,
} from '../model/definition.ts';
import { type AutomationTypes, askedBy, type GoalStep, isMailEvent, MAIL_EVENTS, typesFor } from './awaited.ts';
import { dateFaults, missingOfDate } from './dates.ts';
import { graphFaults, sequenceFaults } from './graph/faults.ts';
import { updateFaults } from './update.ts';
import { delayFaults, untilFaults } from './waits.ts';
import { webhookFaults } from './webhooks/faults.ts';

type AutomationCode =
  | 'NAME_REQUIRED'
  | 'INVALID_STEP_SEQUENCE'
  | 'EMAIL_TEMPLATE_REQUIRED'
  | 'BRANCH_BRANCHES_REQUIRED'
  | 'EVENT_NAME_REQUIRED'
  | 'VALIDATION_ERROR';

/** `details` names the location: "steps/2: an email step must follow a wait step". */
interface Fault {
  code: AutomationCode;
  details: string;
}

/** So much is compared with each of a person's newest 1,000 events. */
const ASKED_LENGTH_MAX = 2 * SEARCHED_LENGTH_MAX;
const GLOBAL_LIST = 'GLOBAL_CONTACT_LIST';
const EVENT_NAME = /^[A-Za-z0-9_]{1,64}$/;
/** Each is compared with the person before each step, and with every change of a contact. */
const GOALS_MAX = 20;
const EVENT_NAME_WORDS = '1 to 64 letters, digits or underscores';
const FIELDS: readonly string[] = ['email', ...CONTACT_FIELDS];

/** The rules that a draft must already satisfy: all of `automations.create` except those of activation. The first code becomes the answer's. */
export function draftFaults(
  definition: Pick<AutomationDefinition, 'entryCriteria' | 'steps'> & { name: string },
  declared: AutomationTypes,
): Fault[] {
  const faults: Fault[] = [];
  if (definition.name.trim() === '') faults.push({ code: 'NAME_REQUIRED', details: 'name: is required' });
  const { steps } = definition;
  if (steps.length === 0)
    faults.push({ code: 'INVALID_STEP_SEQUENCE', details: 'steps: must hold a wait step and an email step at least' });
  if (steps.filter(({ type }) => type === 'goal').length > GOALS_MAX)
    faults.push(invalid(`steps: may hold ${GOALS_MAX} goals at most`));
  faults.push(...entryFaults(definition.entryCriteria, declared));
  for (const [index, step] of steps.entries()) faults.push(...stepFaults(step, `steps/${index}`, declared));
  if (faults.some(({ code }) => code !== 'NAME_REQUIRED' && code !== 'EVENT_NAME_REQUIRED')) return faults;
  const isGraph = steps.some(({ type }) => type !== 'wait' && type !== 'email');
  for (const details of [...(isGraph ? [] : sequenceFaults(steps)), ...graphFaults(steps)])
    faults.push({ code: 'INVALID_STEP_SEQUENCE', details });
  return faults;
}

/** The rules of activation that need no database. */
export function activationFaults({ entryCriteria }: Pick<AutomationDefinition, 'entryCriteria'>): string[] {
  const { type } = entryCriteria;
  if (type === 'date_reached') return missingOfDate(entryCriteria);
  if (type === 'form_submitted' && entryCriteria.formId === undefined)
    return ['entryCriteria/formId: is required for form_submitted'];
  if ((type === 'contact_added_to_list' || type === 'list_left') && entryCriteria.listId === undefined)
    return [`entryCriteria/listId: is required for ${type}`];
  if (type === 'email_received' && entryCriteria.address === undefined)
    return ['entryCriteria/address: is required for email_received'];
  if (type === 'contact_property_matches_with' && entryCriteria.filterCriteria === undefined)
    return ['entryCriteria/filterCriteria: is required for contact_property_matches_with'];
  if (type === 'contact_property_changes_from_to' && entryCriteria.property === undefined)
    return ['entryCriteria/property: is required for contact_property_changes_from_to'];
  return [];
}

/** Every fieldType is made explicit, so that declaring a field later does not change the meaning of a stored filter. */
export function withFieldTypes<T extends Pick<AutomationDefinition, 'entryCriteria' | 'steps'>>(
  definition: T,
  declared: AutomationTypes,
): T {
  const { entryCriteria, steps } = definition;
  const { filterCriteria } = entryCriteria;
  const entry = filterCriteria
    ? { ...entryCriteria, filterCriteria: sayTypes(filterCriteria, declared) }
    : entryCriteria;
  return { ...definition, entryCriteria: entry, steps: steps.map((step) => withTypesSaid(step, declared)) };
}

function withTypesSaid(step: AutomationStep, declared: AutomationTypes): AutomationStep {
  const asked = askedBy(step);
  if (asked?.filterCriteria) {
    const filterCriteria = sayTypes(asked.filterCriteria, typesFor(asked, declared));
    if (step.type === 'wait_event') return { ...step, waitEvent: { ...step.waitEvent, filterCriteria } };
    if (step.type === 'goal') return { ...step, filterCriteria };
  }
  if (step.type !== 'branch') return step;
  const branches = step.branches.map((branch) =>
    branch.filterCriteria ? { ...branch, filterCriteria: sayTypes(branch.filterCriteria, declared) } : branch,
  );
  return { ...step, branches };
}

function sayTypes(criteria: Record<string, unknown>, declared: DeclaredTypes): Record<string, unknown> {
  const parsed = parseFilter(criteria, declared);
  return parsed.ok ? storedForm(criteria, parsed.filter) : criteria;
}

/** The canonical path of a property that is watched for changes; null when it is not one. */
export function propertyPath(property: string): string | null {
  if (FIELDS.includes(property)) return property;
  const name = CONTACT_PROPERTY.exec(property)?.[1];
  return name && name !== '__proto__' ? `contactProperties.${name}` : null;
}

function entryFaults(entry: EntryCriteria, declared: DeclaredTypes): Fault[] {
  const faults: Fault[] = [];
  const fault = (details: string) => faults.push({ code: 'VALIDATION_ERROR', details });
  if (entry.type === 'event_trigger' && entry.eventName === undefined)
    faults.push({ code: 'EVENT_NAME_REQUIRED', details: 'entryCriteria/eventName: is required for event_trigger' });
  if (entry.eventName !== undefined && !EVENT_NAME.test(entry.eventName))
    fault(`entryCriteria/eventName: must be ${EVENT_NAME_WORDS}`);
  if (entry.listId === GLOBAL_LIST && entry.type === 'list_left')
    fault('entryCriteria/listId: must not be the global list, which contacts leave only when they are deleted');
  else if (entry.listId === GLOBAL_LIST)
    fault('entryCriteria/listId: must not be the global list; use contact_created for every new contact');
  if (entry.address !== undefined && normalizeEmail(entry.address) === null)
    fault('entryCriteria/address: must be an email address');
  if (entry.type === 'date_reached') dateFaults(entry, 'entryCriteria', declared).forEach(fault);
  else if (entry.property !== undefined && !propertyPath(entry.property))
    fault('entryCriteria/property: must be a field of the contact or contactProperties.<name>');
  if (entry.filterCriteria) {
    const where = 'entryCriteria/filterCriteria';
    const parsed = parseFilter(entry.filterCriteria, { ...declared, behaviour: 'refused' }, where);
    if (!parsed.ok) fault(parsed.details);
  }
  return faults;
}

/** All filters of a step are compared with a person in one turn, and those of all that ask for events with each event of the person. */
export function searchFaults(steps: readonly AutomationStep[], declared: AutomationTypes): string[] {
  const faults: string[] = [];
  let asked = 0;
  for (const [index, step] of steps.entries()) {
    const { field, lengths } = searchedIn(step, declared);
    const length = lengths.reduce((sum, one) => sum + one, 0);
    const fault = (what: string, most: number, found: number) =>
      faults.push(`steps/${index}/${field}: the ${searchedTooLong(what, most, found)}`);
    if (length > SEARCHED_LENGTH_MAX) fault('all filters of a step', SEARCHED_LENGTH_MAX, length);
    const before = asked;
    if (askedBy(step)) asked += length;
    if (before <= ASKED_LENGTH_MAX && asked > ASKED_LENGTH_MAX)
      fault('all goals and waits for events', ASKED_LENGTH_MAX, asked);
  }
  return faults;
}

function searchedIn(step: AutomationStep, declared: AutomationTypes): { field: string; lengths: number[] } {
  const lengthOf = (criteria: Record<string, unknown> | null | undefined, types: DeclaredTypes) => {
    const parsed = criteria && parseFilter(criteria, types);
    return parsed?.ok ? searchedLength(parsed.filter) : 0;
  };
  if (step.type === 'branch')
    return {
      field: 'branches',
      lengths: step.branches.map(({ filterCriteria }) => lengthOf(filterCriteria, declared)),
    };
  const asked = askedBy(step);
  if (!asked) return { field: '', lengths: [] };
  return { field: `${asked.path}filterCriteria`, lengths: [lengthOf(asked.filterCriteria, typesFor(asked, declared))] };
}

function stepFaults(step: AutomationStep, path: string, declared: AutomationTypes): Fault[] {
  switch (step.type) {
    case 'wait':
      return delayFaults(step.delay, `${path}/delay`).map(invalid);
    case 'wait_until':
      return untilFaults(step.until, `${path}/until`, declared).map(invalid);
    case 'wait_event':
      return eventFaults(step.waitEvent, `${path}/waitEvent`, declared);
    case 'goal':
      return goalFaults(step, path, declared);
    case 'email':
      return emailFaults(step.email, path);
    case 'branch':
      return branchFaults(step, path, declared);
    case 'split':
      return splitFaults(step, path);
    case 'exit':
      if (step.nextStepId === null) return [];
      return [{ code: 'VALIDATION_ERROR', details: `${path}/nextStepId: must be left out, since nobody goes further` }];
    case 'update_contact':
      return updateFaults(step.update, `${path}/update`).map(invalid);
    case 'webhook':
      return webhookFaults(step, path).map(invalid);
  }
}

function eventFaults(waitEvent: AutomationWaitEvent, path: string, declared: AutomationTypes): Fault[] {
  const { eventName, timeout } = waitEvent;
  const faults: Fault[] = [];
  if (eventName === '') faults.push({ code: 'EVENT_NAME_REQUIRED', details: `${path}/eventName: is required` });
  faults.push(...delayFaults(timeout, `${path}/timeout`).map(invalid));
  if (isMailEvent(eventName)) return [...faults, ...mailEventFaults(waitEvent, path).map(invalid)];
  if (waitEvent.emailStepId !== undefined)
    faults.push(invalid(`${path}/emailStepId: belongs to ${MAIL_EVENTS.join(', ')}`));
  if (waitEvent.url !== undefined) faults.push(invalid(`${path}/url: belongs to email.clicked`));
  return [...faults, ...askedFaults(waitEvent, path, declared)];
}

/** Whether it names an email step before it is a question of the order of steps. */
function mailEventFaults(
  { eventName, emailStepId, url, filterCriteria, since }: AutomationWaitEvent,
  path: string,
): string[] {
  const faults: string[] = [];
  if (emailStepId === undefined) faults.push(`${path}/emailStepId: is required for ${eventName}`);
  if (url !== undefined && eventName !== 'email.clicked') faults.push(`${path}/url: belongs to email.clicked`);
  if (filterCriteria) faults.push(`${path}/filterCriteria: belongs to events of the project`);
  if (since === 'step') faults.push(`${path}/since: must be entry, or be left out, for ${eventName}`);
  return faults;
}

function goalFaults(goal: GoalStep, path: string, declared: AutomationTypes): Fault[] {
  if (goal.eventName === undefined && !goal.filterCriteria)
    return [invalid(`${path}: needs eventName or filterCriteria`)];
  return askedFaults(goal, path, declared);
}

function askedFaults(
  { eventName, filterCriteria }: Pick<GoalStep, 'eventName' | 'filterCriteria'>,
  path: string,
  declared: AutomationTypes,
): Fault[] {
  if (eventName && !EVENT_NAME.test(eventName)) return [invalid(`${path}/eventName: must be ${EVENT_NAME_WORDS}`)];
  if (!filterCriteria) return [];
  const types = { ...typesFor({ eventName }, declared), behaviour: 'refused' as const };
  const parsed = parseFilter(filterCriteria, types, `${path}/filterCriteria`);
  return parsed.ok ? [] : [invalid(parsed.details)];
}

function splitFaults({ shares }: AutomationStep & { type: 'split' }, path: string): Fault[] {
  if (shares.length < 2)
    return [{ code: 'VALIDATION_ERROR', details: `${path}/shares: must hold two shares at least` }];
  const sum = shares.reduce((total, { share }) => total + share, 0);
  if (sum === 100) return [];
  return [{ code: 'VALIDATION_ERROR', details: `${path}/shares: must add up to 100, and add up to ${sum}` }];
}

function invalid(details: string): Fault {
  return { code: 'VALIDATION_ERROR', details };
}

function emailFaults(email: AutomationEmail, path: string): Fault[] {
  if (email.templateId === undefined && email.htmlTemplate === undefined)
    return [{ code: 'EMAIL_TEMPLATE_REQUIRED', details: `${path}/email: needs templateId, htmlTemplate or content` }];
  if (email.htmlTemplate !== undefined && email.subject === undefined)
    return [{ code: 'VALIDATION_ERROR', details: `${path}/email/subject: is required without templateId` }];
  const repeated = repeatedName(email.tags);
  if (repeated !== null)
    return [{ code: 'VALIDATION_ERROR', details: `${path}/email/tags: has the name ${repeated} twice` }];
  return [];
}

function branchFaults(step: AutomationStep & { type: 'branch' }, path: string, declared: DeclaredTypes): Fault[] {
  if (step.branches.length === 0)
    return [{ code: 'BRANCH_BRANCHES_REQUIRED', details: `${path}/branches: must hold one branch at least` }];
  return step.branches.flatMap((branch, index): Fault[] => {
    const place = `${path}/branches/${index}`;
    if (branch.triggerType === 'event_property' && !declared.event)
      return [
        {
          code: 'VALIDATION_ERROR',
          details: `${place}/triggerType: event_property needs entryCriteria of type event_trigger`,
        },
      ];
    if (!branch.filterCriteria) return [];
    const parsed = parseFilter(branch.filterCriteria, declared, `${place}/filterCriteria`);
    return parsed.ok ? [] : [{ code: 'VALIDATION_ERROR', details: parsed.details }];
  });
}
