import type { Automation, EntryCriteria, EntryType, ExitCriteria, Reentry } from '../../../../client/index.ts';
import { counted } from '../../../parts/data/format.ts';
import { Badge, State, type Tone } from '../../../parts/data/state.tsx';

type Status = Automation['status'];

export const statuses: Record<Status, { word: string; tone: Tone }> = {
  draft: { word: 'Draft', tone: 'open' },
  active: { word: 'Active', tone: 'good' },
  paused: { word: 'Paused', tone: 'warn' },
  archived: { word: 'Archived', tone: 'idle' },
};

export function AutomationState({ status, isHead }: { status: Status; isHead?: boolean }) {
  const { word, tone } = statuses[status];
  return isHead ? <Badge tone={tone}>{word}</Badge> : <State tone={tone}>{word}</State>;
}

export const entryTypes: Record<EntryType, string> = {
  contact_created: 'A contact is created',
  contact_added_to_list: 'A contact joins a list or segment',
  contact_property_matches_with: 'A contact matches a filter',
  contact_property_changes_from_to: 'A field of a contact changes',
  event_trigger: 'An event arrives',
  list_left: 'A contact leaves a list or segment',
  form_submitted: 'A person sends a form',
  email_received: 'A contact writes a mail',
  date_reached: 'A date of a contact is reached',
};

export const exitTypes: Record<ExitCriteria['type'], string> = {
  workflow_complete: 'When the last step is done',
  entry_criteria_no_longer_met: 'Also when they no longer meet the entry criteria',
};

export function reentryWords(reentry: Reentry): string {
  if (typeof reentry === 'object') return `Again after ${counted(reentry.afterDays, 'day')}`;
  return reentry === 'once' ? 'Each person once' : 'Once at a time';
}

type NameOf = (id: string) => string;

/** In the first box of the graph: what lets people in. */
export function entryName(entry: EntryCriteria, names: { list: NameOf; form: NameOf }): string {
  if (entry.type === 'event_trigger') return `Event ${entry.eventName ?? 'not chosen'}`;
  if (entry.type === 'contact_added_to_list')
    return entry.listId ? `Joins ${names.list(entry.listId)}` : 'Joins a list';
  if (entry.type === 'list_left') return entry.listId ? `Leaves ${names.list(entry.listId)}` : 'Leaves a list';
  if (entry.type === 'form_submitted') return entry.formId ? `Sends ${names.form(entry.formId)}` : 'Sends a form';
  if (entry.type === 'email_received') return entry.address ? `Writes to ${entry.address}` : 'Writes a mail';
  if (entry.type === 'date_reached') return dateName(entry);
  if (entry.type === 'contact_property_changes_from_to') return `${entry.property ?? 'A field'} changes`;
  return entryTypes[entry.type];
}

/** As in: 7 days before renewsAt, each year. */
function dateName({ property, offset, yearly }: EntryCriteria): string {
  const date = property?.replace(/^contactProperties\./, '') ?? 'a date';
  const moved = offset && offset.value > 0;
  const away = moved ? `${counted(offset.value, offset.unit.slice(0, -1))} ${offset.direction} ` : 'On ';
  return `${away}${date}${yearly ? ', each year' : ''}`;
}

const exits: Record<string, string> = {
  criteria_no_longer_met: 'no longer met the criteria',
  unsubscribed: 'unsubscribed',
  contact_deleted: 'deleted',
  step_removed: 'their step was removed',
  exit_step: 'by an exit step',
  automation_archived: 'automation archived',
  no_date: 'no date to wait for',
  removed: 'removed by hand',
};

/** Of a wait. */
export const zoneMissing = 'in the zone of the project, for want of their own';

export function exitWords(reason: string): string {
  return exits[reason] ?? reason.replace(/_/g, ' ');
}
