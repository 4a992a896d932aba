import { useRef } from 'preact/hooks';
import { type CreateAutomationBody, EverpostError } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { forms, lists, marketingTemplates } from '../../parts/choose/things.ts';
import { Options } from '../../parts/forms/choices.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useForm } from '../../parts/forms/form.ts';
import { FormDialog } from '../../parts/over/form-dialog.tsx';
import { navigate, to } from '../../router.ts';
import { starter } from '../templates/starter.ts';

type Steps = NonNullable<CreateAutomationBody['steps']>;
type Mail = (subject: string) => Steps[number];
const wait = (value: number, unit: 'hours' | 'days'): Steps[number] => ({ type: 'wait', delay: { value, unit } });

/** Where to begin; everything can be changed afterwards. */
const shapes = {
  welcome: {
    label: 'Welcome',
    hint: 'A mail at once for each new contact, and another one after three days',
    entryCriteria: { type: 'contact_created' },
    steps: (mail: Mail) => [wait(0, 'hours'), mail('Welcome'), wait(3, 'days'), mail('How is it going')],
  },
  list: {
    label: 'Course for a list',
    hint: 'Three mails, a day apart, for those who join a list',
    entryCriteria: { type: 'contact_added_to_list' },
    steps: (mail: Mail) => [
      wait(0, 'hours'),
      mail('Part one'),
      wait(1, 'days'),
      mail('Part two'),
      wait(1, 'days'),
      mail('Part three'),
    ],
  },
  form: {
    label: 'Thanks for a form',
    hint: 'A mail at once for those who send a form, after they confirm it where it asks for that',
    entryCriteria: { type: 'form_submitted' },
    steps: (mail: Mail) => [wait(0, 'hours'), mail('Thank you')],
  },
  event: {
    label: 'Reminder after an event',
    hint: 'A mail some hours after an event, such as an abandoned basket',
    entryCriteria: { type: 'event_trigger' },
    steps: (mail: Mail) => [wait(4, 'hours'), mail('You left something behind')],
  },
  branch: {
    label: 'Two ways',
    hint: 'A mail, then another one for those who opened it than for the others',
    entryCriteria: { type: 'contact_created' },
    steps: (mail: Mail): Steps => {
      const inside = { parentBranchStepId: 'opened-it', parentBranchId: 'yes' };
      const opened = { behaviour: 'humanOpened', operator: 'at_least', count: 1, withinDays: 7 };
      return [
        wait(0, 'hours'),
        mail('Welcome'),
        wait(5, 'days'),
        {
          ...{ type: 'branch', stepId: 'opened-it', nextStepId: 'remind' },
          branches: [
            { branchId: 'yes', label: 'opened it', filterCriteria: { logicalOperator: 'AND', groups: [opened] } },
          ],
        },
        { ...wait(0, 'hours'), ...inside },
        { ...mail('More for you'), ...inside },
        { ...wait(0, 'hours'), stepId: 'remind' },
        mail('Did you miss it'),
      ];
    },
  },
} as const;

type Shape = keyof typeof shapes;

export function NewAutomation({ onClose }: { onClose: () => void }) {
  const form = useForm({ name: '', shape: 'welcome', templateId: '', eventName: '', listId: '', formId: '' });
  const { shape } = form.values.value;
  /** Made by a try that was refused afterwards. */
  const made = useRef(new Map<string, string>());
  async function ownTemplate(name: string, subject: string): Promise<string> {
    const templateName = `${name}: ${subject}`;
    const body = {
      templateName,
      subject,
      templateType: 'marketing',
      emailTemplate: starter('marketing'),
      draft: true,
    } as const;
    const templateId = made.current.get(templateName) ?? (await api.templates.create(body)).templateId;
    made.current.set(templateName, templateId);
    return templateId;
  }
  const submit = form.submit(async ({ name, shape: key, templateId, eventName, listId, formId }) => {
    const { entryCriteria, steps } = shapes[key as Shape];
    const unwritten: Array<{ subject: string; templateId: string }> = [];
    const mail: Mail = (subject) => {
      if (templateId) return { type: 'email', email: { templateId } };
      const email = { subject, templateId: '' };
      unwritten.push(email);
      return { type: 'email', email };
    };
    const whole = [...steps(mail)];
    // Without a name the automation is refused, and nothing must be left of it.
    for (const email of name.trim() === '' ? [] : unwritten) email.templateId = await ownTemplate(name, email.subject);
    const entry = {
      ...entryCriteria,
      ...(key === 'event' && eventName && { eventName }),
      ...(key === 'list' && listId && { listId }),
      ...(key === 'form' && formId && { formId }),
    };
    const made = await api.automations.create({ name, entryCriteria: entry, steps: whole }).catch((error: unknown) => {
      throw namedFields(error);
    });
    onClose();
    navigate(to(`/automations/${made.id}`, { tab: 'edit' }));
  });
  return (
    <FormDialog title="New automation" onClose={onClose} onSubmit={submit} form={form} action="Create draft">
      <Field form={form} name="name" label="Name" autoFocus />
      <Options
        form={form}
        name="shape"
        label="Begin with"
        options={Object.entries(shapes).map(([value, { label, hint }]) => ({ value, label, hint }))}
      />
      {shape === 'event' && (
        <Field form={form} name="eventName" label="Name of the event" placeholder="basket_abandoned" isMono />
      )}
      {shape === 'list' && (
        <ChooserField form={form} name="listId" label="List or segment" things={lists} none="Choose later" />
      )}
      {shape === 'form' && <ChooserField form={form} name="formId" label="Form" things={forms} none="Choose later" />}
      <ChooserField
        form={form}
        name="templateId"
        label="Content of its mails"
        hint="Each mail can have its own template afterwards."
        things={marketingTemplates}
        none="A new template for each, to be written"
      />
    </FormDialog>
  );
}

/** The dialog has the fields of the entry without the path of the interface. */
function namedFields(error: unknown): unknown {
  if (error instanceof EverpostError && error.details)
    Object.assign(error, { details: error.details.replaceAll('entryCriteria/', '') });
  return error;
}
