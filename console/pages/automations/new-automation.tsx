import { type CreateEventBody, EverpostError } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { forms, marketingTemplates } from '../../parts/choose/things.ts';
import { Options } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { navigate, to } from '../../router.ts';
import { can } from '../../session.ts';
import { ListField } from '../lists/list-field.tsx';
import { shapes } from './shapes/shapes.ts';

const FIRST = 'welcome';

/** Makes an automation in one of the shapes, and opens its editor. */
export function NewAutomation({ onClose }: { onClose: () => void }) {
  const form = useForm({ name: '', shape: FIRST, templateId: '', eventName: '', listId: '', formId: '' });
  const shape = shapes[form.values.value.shape];
  const [event] = shape?.events ?? [];
  const usesList = shape?.entryCriteria.type === 'contact_added_to_list';
  const usesForm = shape?.entryCriteria.type === 'form_submitted';
  const submit = form.submit(async ({ name, shape: key, templateId, eventName, listId, formId }) => {
    const { name: ownName = '', events = [], entryCriteria, reentry, steps = [] } = shapes[key] ?? {};
    const [first, ...others] = events;
    const entryEvent = first && { ...first, eventName: eventName || first.eventName };
    for (const event of entryEvent ? [entryEvent, ...others] : []) await define(event);
    const entry = {
      ...entryCriteria,
      ...(entryEvent && { eventName: entryEvent.eventName }),
      ...(usesList && listId && { listId }),
      ...(usesForm && formId && { formId }),
    };
    const mails = templateId ? { email: { templateId } } : {};
    const body = {
      name: name || ownName,
      entryCriteria: entry,
      ...(reentry && { reentry }),
      steps: steps.map((step) => (step.type === 'email' ? { ...step, ...mails } : step)),
    };
    const made = await api.automations.create(body).catch((error: unknown) => {
      throw namedFields(error);
    });
    onClose();
    navigate(to(`/automations/${made.id}/edit`));
  });
  return (
    <FormDialog title="New automation" onClose={onClose} onSubmit={submit} form={form} action="Create draft">
      <Field form={form} name="name" label="Name" placeholder={shape?.name} autoFocus />
      <Options
        form={form}
        name="shape"
        label="Begin with"
        options={Object.entries(shapes).map(([value, { label, hint }]) => ({ value, label, hint }))}
      />
      {event && <Field form={form} name="eventName" label="Name of the event" placeholder={event.eventName} isMono />}
      {usesList && <ListField form={form} name="listId" none="Choose later" />}
      {usesForm && <ChooserField form={form} name="formId" label="Form" things={forms} none="Choose later" />}
      <ChooserField
        form={form}
        name="templateId"
        label="Content of its mails"
        hint="Each mail can have its own afterwards."
        things={marketingTemplates}
        none="Texts to begin with"
      />
    </FormDialog>
  );
}

/** A branch may ask only for events that the project has. */
async function define(event: CreateEventBody): Promise<void> {
  if (!can('events.create')) return;
  const { error } = await api.safe.events.create(event);
  if (error && error.status !== 409) throw error;
}

/** The dialog has the fields of the entry without the path of the interface. */
function namedFields(error: unknown): unknown {
  if (error instanceof EverpostError && error.details)
    Object.assign(error, { details: error.details.replaceAll('entryCriteria/', '') });
  return error;
}
