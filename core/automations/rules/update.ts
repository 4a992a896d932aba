import { PROPERTY_TEXT_MAX } from '../../../schemas/people/contacts.ts';
import { AppError } from '../../base/errors.ts';
import type { PropertyValue } from '../../base/model.ts';
import { coerce } from '../../base/text/coercion.ts';
import { variablesOf } from '../../mail/compose/variables.ts';
import type { DeclaredTypes } from '../../people/filters/filters.ts';
import type { Contact } from '../../people/model.ts';
import { compiled } from '../../templates/cache.ts';
import { renderShort, TemplateRenderError, type Variables } from '../../templates/language/templates.ts';
import type { AutomationStep, AutomationUpdate } from '../model/definition.ts';

/** The changes of a step for one person: texts are rendered. */
export type PersonUpdate = AutomationUpdate;

interface Subject {
  nowMs: number;
  person: Contact;
  event?: { name: string; properties: Readonly<Record<string, unknown>> } | undefined;
}

const GLOBAL_LIST = 'GLOBAL_CONTACT_LIST';
/** Of all texts with placeholders in a step: they are read and rendered in one turn. */
const PLACEHOLDERS_LENGTH_MAX = 5_000;
/** Of rendering all of them. */
const RENDER_STEPS_MAX = 20_000;
/** They belong to a mail, and there is none. */
const NO_PAGES = { unsubscribe: '', preferencesUrl: '', viewInBrowserUrl: '' };

/** With a problem the step changes nothing of this person, who continues. */
export function renderUpdate(update: AutomationUpdate, subject: Subject): PersonUpdate | { problem: string } {
  const { contactProperties } = update;
  if (!contactProperties) return update;
  const rendered: Record<string, PropertyValue | null> = {};
  const budget = { limits: { steps: RENDER_STEPS_MAX, length: PROPERTY_TEXT_MAX }, spent: 0 };
  let variables: Variables | undefined;
  for (const [name, value] of Object.entries(contactProperties)) {
    if (!hasPlaceholders(value)) {
      rendered[name] = value;
      continue;
    }
    variables ??= variablesFor(subject);
    const field = `contactProperties/${name}`;
    try {
      const text = renderShort(compiled(value, 'text', field), variables, budget);
      if (!text.isWellFormed()) return { problem: `${field}: must be valid text` };
      rendered[name] = text;
    } catch (error) {
      if (error instanceof TemplateRenderError) return { problem: `${field}: ${error.message}` };
      if (error instanceof AppError) return { problem: error.details ?? `${field}: ${error.message}` };
      throw error;
    }
  }
  return { ...update, contactProperties: rendered };
}

/** The texts of a step that are templates, with their places in the definition. */
export function placeholdersOf({ contactProperties = {} }: AutomationUpdate, path: string) {
  return Object.entries(contactProperties).flatMap(([name, source]) =>
    hasPlaceholders(source) ? [{ source, field: `${path}/contactProperties/${name}` }] : [],
  );
}

/** Values that do not fit their custom fields; texts with placeholders are known only when they are rendered. */
export function valueFaults(
  { contactProperties = {} }: AutomationUpdate,
  path: string,
  { contactProperties: types }: DeclaredTypes,
): string[] {
  return Object.entries(contactProperties).flatMap(([name, value]) => {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (value === null || type === undefined || hasPlaceholders(value) || coerce(type, value).ok) return [];
    return [`${path}/contactProperties/${name}: must be a ${type}, as its custom field says`];
  });
}

/** Values and texts are checked where the templates of mails are, step by step. */
export function updateFaults(update: AutomationUpdate, path: string): string[] {
  const { contactProperties = {}, addListIds = [], removeListIds = [] } = update;
  if (Object.keys(contactProperties).length + addListIds.length + removeListIds.length === 0)
    return [`${path}: must set a property, or name a list in addListIds or removeListIds`];
  const faults: string[] = [];
  for (const field of ['addListIds', 'removeListIds'] as const)
    if (update[field]?.includes(GLOBAL_LIST))
      faults.push(`${path}/${field}: must not name the global list, which every contact is in`);
  if (removeListIds.some((id) => addListIds.includes(id)))
    faults.push(`${path}/removeListIds: names a list that addListIds names too`);
  const length = placeholdersOf(update, path).reduce((sum, { source }) => sum + source.length, 0);
  if (length > PLACEHOLDERS_LENGTH_MAX)
    faults.push(
      `${path}/contactProperties: its texts with placeholders may have ${PLACEHOLDERS_LENGTH_MAX} characters together, and have ${length}`,
    );
  return faults;
}

/** The lists that people are added to; one that is gone is a problem of each person who comes there. */
export function listsAddedTo(steps: readonly AutomationStep[]): string[] {
  const ids = steps.flatMap((step) => (step.type === 'update_contact' ? (step.update.addListIds ?? []) : []));
  return [...new Set(ids)];
}

function hasPlaceholders(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{');
}

/** Those of the mails of an automation. */
function variablesFor({ nowMs, person, event }: Subject): Variables {
  const { email } = person;
  const mail = { email, at: new Date(nowMs), pages: NO_PAGES, contact: person };
  return variablesOf(mail, event && { event: { name: event.name, properties: event.properties } });
}
