import { contactData } from '../../core/people/contacts/events.ts';
import { asksAboutBehaviour } from '../../core/people/filters/filters.ts';
import { wireListId } from '../../core/people/global-list.ts';
import type { previewFilter } from '../../core/people/lists/preview.ts';
import type { FoundContact } from '../../core/people/lists/search.ts';
import type { Contact, ContactList, CustomField, SegmentRecompute } from '../../core/people/model.ts';
import type { Config } from '../../schemas/config.ts';

export function presentContact(contact: Contact) {
  const { projectId, contactProperties } = contact;
  return { ...contactData(contact), customFields: contactProperties, projectId };
}

/** A contact as list endpoints return it. */
export function presentListMember({ _id, email, createdAt, updatedAt, projectId, listIds, segmentIds }: Contact) {
  return { id: _id, email, createdAt, updatedAt, projectId, listIds, segmentIds };
}

export function presentFoundContact({ _id, email, firstName, lastName, createdAt, updatedAt }: FoundContact) {
  return { id: _id, email, firstName, lastName, createdAt, updatedAt };
}

export function presentList(list: ContactList, config: Pick<Config, 'retentionDays'>) {
  const {
    name,
    description,
    type,
    isPublic = false,
    contactCount,
    filterCriteria,
    recompute,
    createdAt,
    updatedAt,
  } = list;
  return {
    id: wireListId(list),
    name,
    description,
    type: type === 'segment' ? 'segment' : 'list',
    isPublic,
    contactCount,
    filterCriteria,
    looksBackDays: looksBackDays(filterCriteria, config),
    recompute: recompute && presentRecompute(recompute),
    createdAt,
    updatedAt,
  };
}

export function presentPreview(
  { count, isExact, estimate, people, filter }: Awaited<ReturnType<typeof previewFilter>>,
  config: Pick<Config, 'retentionDays'>,
) {
  const shown = people.map(presentFoundContact);
  return { count, isExact, estimate, looksBackDays: looksBackDays(filter, config), people: shown };
}

/** Behaviour is kept as long as messages are. */
function looksBackDays(filter: object | null, { retentionDays }: Pick<Config, 'retentionDays'>): number | null {
  return asksAboutBehaviour(filter) ? retentionDays : null;
}

/** The second pass of a recompute is hidden from the caller: it shows as completed. */
function presentRecompute({ status, processed, total, requestedAt, completedAt }: SegmentRecompute) {
  const isRunning = status === 'running';
  return {
    status: isRunning ? 'running' : 'completed',
    processed,
    total,
    percent: isRunning ? Math.min(99, Math.floor((processed / Math.max(1, total)) * 100)) : 100,
    requestedAt,
    completedAt,
  };
}

export function presentCustomField(field: CustomField) {
  const { _id, fieldName, fieldType, label, description, defaultValue, createdAt, updatedAt } = field;
  return { id: _id, fieldName, fieldType, label, description, defaultValue, createdAt, updatedAt };
}
