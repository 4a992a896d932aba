import type { AutomationWaitEvent } from '../../../../../client/index.ts';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import { Amount, UNITS } from '../fields/amount.tsx';
import { Conditions } from '../fields/conditions.tsx';
import { errorsIn } from '../fields/errors.ts';
import { EventField } from '../fields/event.tsx';
import { mailsBefore } from '../model/mails.ts';
import type { Step, Steps } from '../model/steps.ts';
import { type Kind, type KindOffered, type StepFormProps, useStepForm } from './step-form.ts';

const TIMEOUT = { value: 3, unit: 'days' } as const;
const EVENT = 'event';
const OPENED = 'email.opened';
const CLICKED = 'email.clicked';
const OPENS_HINT = 'Opens by programs do not count. The automation has to count opens: see its entry.';
const ACTS = [
  { value: OPENED, label: 'Opens a mail' },
  { value: CLICKED, label: 'Clicks in a mail' },
  { value: 'email.replied', label: 'Answers a mail' },
];

export const waitEvent: Kind = {
  label: 'Wait for an event',
  hint: 'Another way when it does not come in time',
  icon: 'now',
  make: () => ({ type: 'wait_event', waitEvent: { timeout: TIMEOUT } }),
  Form: WaitEventForm,
};

/** The same step, for the question that is asked most. */
export const opened: KindOffered = {
  label: 'Opened or not',
  hint: 'One way for those who open the mail before it, another for the rest',
  icon: 'email',
  make: () => ({ type: 'wait_event', waitEvent: { eventName: OPENED, timeout: TIMEOUT } }),
};

function WaitEventForm(props: StepFormProps) {
  const { step, steps, errors, why, nameOf, onChange } = props;
  const form = useStepForm(props, read, (now, values) => written(now, values, steps));
  const { of } = form.values.value;
  const { timeout = TIMEOUT } = step.waitEvent ?? {};
  const change = (changes: Partial<AutomationWaitEvent>, field: string) =>
    onChange({ ...step, waitEvent: { ...step.waitEvent, ...changes } }, `${step.stepId} ${field}`);
  return (
    <>
      <Select
        form={form}
        name="of"
        label="Until the person"
        why={why}
        options={[{ value: EVENT, label: 'Sends an event' }, ...ACTS]}
      />
      {of === EVENT ? (
        <EventField form={form} name="waitEvent/eventName" why={why} />
      ) : (
        <Select
          form={form}
          name="waitEvent/emailStepId"
          label="Mail"
          hint={of === OPENED ? OPENS_HINT : 'One that was sent before this step.'}
          why={why}
          options={[
            { value: '', label: 'Choose a mail' },
            ...mailsBefore(steps, step.stepId).map((one) => ({
              ...{ value: one.stepId, label: `${steps.indexOf(one) + 1}. ${nameOf(one)}` },
            })),
          ]}
        />
      )}
      {of === CLICKED && (
        <Field
          form={form}
          name="waitEvent/url"
          label="Link"
          placeholder="any link"
          hint="Its whole address, or nothing for any link."
          why={why}
        />
      )}
      <Amount
        amount={timeout}
        units={UNITS}
        label="At most"
        errors={errorsIn(errors, 'waitEvent/timeout')}
        why={why}
        onChange={(next, field) => change({ timeout: next }, `timeout ${field}`)}
      />
      {of === EVENT && (
        <>
          <Select
            form={form}
            name="waitEvent/since"
            label="Counted are events"
            why={why}
            options={[
              { value: 'step', label: 'while the person waits here' },
              { value: 'entry', label: 'since the person entered' },
            ]}
          />
          <section class="stack near way" aria-label="Only events and people">
            <Conditions
              criteria={step.waitEvent?.filterCriteria ?? null}
              eventName={step.waitEvent?.eventName}
              errors={errorsIn(errors, 'waitEvent')}
              isReadOnly={why !== null}
              onChange={(criteria) => onChange(withFilter(step, criteria), `${step.stepId} filter`)}
            />
            {!step.waitEvent?.filterCriteria && <p class="hint">Without a condition every such event counts.</p>}
          </section>
        </>
      )}
    </>
  );
}

function read({ waitEvent: { eventName = '', since = 'step', emailStepId = '', url = '' } = {} }: Step) {
  const isAct = ACTS.some(({ value }) => value === eventName);
  return {
    of: isAct ? eventName : EVENT,
    'waitEvent/eventName': isAct ? '' : eventName,
    'waitEvent/since': since as string,
    'waitEvent/emailStepId': emailStepId,
    'waitEvent/url': url,
  };
}

/** A wait for an act on a mail has no conditions, and counts since the person entered. */
function written({ waitEvent, ...step }: Step, values: ReturnType<typeof read>, steps: Steps): Step {
  const { timeout = TIMEOUT, filterCriteria } = waitEvent ?? {};
  const { of, 'waitEvent/eventName': eventName, 'waitEvent/url': url } = values;
  const emailStepId = values['waitEvent/emailStepId'] || mailsBefore(steps, step.stepId)[0]?.stepId;
  const asked: AutomationWaitEvent =
    of === EVENT
      ? {
          ...(eventName && { eventName }),
          since: values['waitEvent/since'] === 'entry' ? 'entry' : 'step',
          ...(filterCriteria && { filterCriteria }),
        }
      : { eventName: of, ...(emailStepId && { emailStepId }), ...(of === CLICKED && url && { url }) };
  return { ...step, waitEvent: { ...asked, timeout } };
}

function withFilter({ waitEvent, ...step }: Step, criteria: Record<string, unknown> | null): Step {
  const { filterCriteria: _, ...rest } = waitEvent ?? {};
  return { ...step, waitEvent: { ...rest, ...(criteria && { filterCriteria: criteria }) } };
}
