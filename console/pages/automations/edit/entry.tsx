import type { EntryCriteria, EntryType, Reentry } from '../../../../client/index.ts';
import { ChooserField } from '../../../parts/choose/chooser.tsx';
import { forms, suppressionGroups } from '../../../parts/choose/things.ts';
import { Checkbox } from '../../../parts/forms/choices.tsx';
import { Field, Select } from '../../../parts/forms/field.tsx';
import { textsOfUtm, utmIn } from '../../../parts/forms/utm.ts';
import { UtmFields } from '../../../parts/forms/utm-fields.tsx';
import { ListField } from '../../lists/list-field.tsx';
import { entryTypes, exitTypes } from '../graph/state.tsx';
import type { Values } from './draft.ts';
import { ChangeEntry } from './fields/change-entry.tsx';
import { Conditions } from './fields/conditions.tsx';
import { DateEntry } from './fields/date-entry.tsx';
import { errorsIn } from './fields/errors.ts';
import { EventField } from './fields/event.tsx';
import { numberIn } from './fields/values.ts';
import { useLinkedForm } from './steps/step-form.ts';

interface Props {
  values: Values;
  errors: Record<string, string>;
  why: string | null;
  onChange: (values: Values, field: string) => void;
}

const GROUP_NONE = 'All marketing mail';

/** The rules for entering, for entering again, and for leaving early. */
export function EntryForm(props: Props) {
  const { values, errors, why, onChange } = props;
  const form = useLinkedForm({ value: values, errors, onChange }, read, write);
  const typed = form.values.value;
  const { filterCriteria = null, type } = values.entryCriteria;
  const entryErrors = errorsIn(errors, 'entryCriteria');
  return (
    <>
      <Field form={form} name="name" label="Name" autocomplete="off" why={why} />
      <Select
        form={form}
        name="entryCriteria/type"
        label="People enter when"
        why={why}
        options={Object.entries(entryTypes).map(([value, label]) => ({ value, label }))}
      />
      {(type === 'contact_added_to_list' || type === 'list_left') && (
        <ListField form={form} name="entryCriteria/listId" why={why} />
      )}
      {type === 'form_submitted' && (
        <ChooserField form={form} name="entryCriteria/formId" label="Form" things={forms} />
      )}
      {type === 'email_received' && (
        <Field
          form={form}
          name="entryCriteria/address"
          label="To the address"
          placeholder="hello@in.harbour.example"
          hint="At a domain of this project that receives mail."
          why={why}
        />
      )}
      {type === 'event_trigger' && <EventField form={form} name="entryCriteria/eventName" why={why} />}
      {type === 'contact_property_changes_from_to' && (
        <ChangeEntry
          entry={values.entryCriteria}
          errors={entryErrors}
          why={why}
          onChange={(entryCriteria, field) => onChange({ ...values, entryCriteria }, `change ${field}`)}
        />
      )}
      {type === 'date_reached' && (
        <DateEntry
          entry={values.entryCriteria}
          errors={entryErrors}
          why={why}
          onChange={(entryCriteria, field) => onChange({ ...values, entryCriteria }, `date ${field}`)}
        />
      )}
      <section class="stack near way" aria-label="Only those">
        <Conditions
          criteria={filterCriteria}
          eventName={type === 'event_trigger' ? values.entryCriteria.eventName : null}
          errors={entryErrors}
          isReadOnly={why !== null}
          onChange={(criteria) => onChange({ ...values, entryCriteria: withFilter(values, criteria) }, 'filter')}
        />
        {!filterCriteria && <p class="hint">Without a condition it is for everybody of whom the above is true.</p>}
      </section>
      <div class="two">
        <Select
          form={form}
          name="reentry"
          label="Again"
          why={why}
          options={[
            { value: 'once', label: 'Each person once' },
            { value: 'after_exit', label: 'After they left' },
            { value: 'after_days', label: 'Some days after' },
          ]}
        />
        {typed.reentry === 'after_days' && (
          <Field form={form} name="reentry/afterDays" label="Days" type="number" min="1" why={why} />
        )}
      </div>
      <Select
        form={form}
        name="exitCriteria"
        label="People leave"
        why={why}
        options={Object.entries(exitTypes).map(([value, label]) => ({ value, label }))}
      />
      <ChooserField
        form={form}
        name="unsubscribeGroupId"
        label="Unsubscribing leaves"
        things={suppressionGroups}
        none={GROUP_NONE}
      />
      <section class="stack near way" aria-label="Its mails">
        <Checkbox form={form} name="trackingOpen" label="Count opens of its mails" isDisabled={why !== null} />
        <Checkbox
          form={form}
          name="trackingClick"
          label="Count clicks in its mails"
          hint="Links lead over this server then."
          isDisabled={why !== null}
        />
        <UtmFields form={form} why={why} />
      </section>
      <Field form={form} name="description" label="Description" autocomplete="off" why={why} />
      <Field
        form={form}
        name="tags"
        label="Tags of the automation"
        placeholder="lifecycle, spring"
        autocomplete="off"
        why={why}
      />
    </>
  );
}

function read(values: Values) {
  const { name, description, entryCriteria, reentry, exitCriteria, unsubscribeGroupId } = values;
  const { tags, trackingOpen, trackingClick, utm } = values;
  const { type, listId = '', formId = '', address = '', eventName = '' } = entryCriteria;
  return {
    name,
    'entryCriteria/type': type as string,
    'entryCriteria/listId': listId,
    'entryCriteria/formId': formId,
    'entryCriteria/address': address,
    'entryCriteria/eventName': eventName,
    reentry: typeof reentry === 'object' ? 'after_days' : reentry,
    'reentry/afterDays': typeof reentry === 'object' ? String(reentry.afterDays) : '30',
    exitCriteria: exitCriteria.type as string,
    unsubscribeGroupId,
    ...{ description, tags: tags.join(', '), trackingOpen, trackingClick },
    ...textsOfUtm(utm),
  };
}

function write(values: Values, typed: ReturnType<typeof read>): Values {
  return {
    ...values,
    name: typed.name,
    entryCriteria: entryOf(values, typed),
    reentry: reentryOf(typed),
    exitCriteria: { type: typed.exitCriteria as Values['exitCriteria']['type'] },
    unsubscribeGroupId: typed.unsubscribeGroupId,
    description: typed.description,
    tags: typed.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    trackingOpen: typed.trackingOpen,
    trackingClick: typed.trackingClick,
    utm: utmIn(typed),
  };
}

/** The fields that belong to the type; the others are forgotten. */
function entryOf({ entryCriteria }: Values, typed: ReturnType<typeof read>): EntryCriteria {
  const type = typed['entryCriteria/type'] as EntryType;
  const { filterCriteria, fromValue, toValue, property, offset, time = '09:00', yearly = false } = entryCriteria;
  const texts = {
    listId: (type === 'contact_added_to_list' || type === 'list_left') && typed['entryCriteria/listId'],
    formId: type === 'form_submitted' && typed['entryCriteria/formId'],
    address: type === 'email_received' && typed['entryCriteria/address'],
    eventName: type === 'event_trigger' && typed['entryCriteria/eventName'],
  };
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  const change = type === 'contact_property_changes_from_to' ? { property, fromValue, toValue } : {};
  const date = type === 'date_reached' ? { property, offset, time, yearly } : {};
  return { type, ...given, ...defined({ ...change, ...date, filterCriteria }) };
}

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function reentryOf(typed: ReturnType<typeof read>): Reentry {
  if (typed.reentry === 'after_days') return { afterDays: numberIn(typed['reentry/afterDays']) };
  return typed.reentry === 'once' ? 'once' : 'after_exit';
}

function withFilter({ entryCriteria }: Values, criteria: Record<string, unknown> | null): EntryCriteria {
  const { filterCriteria: _, ...rest } = entryCriteria;
  return criteria ? { ...rest, filterCriteria: criteria } : rest;
}
