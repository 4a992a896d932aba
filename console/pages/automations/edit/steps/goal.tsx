import { Options } from '../../../../parts/forms/choices.tsx';
import { Conditions } from '../fields/conditions.tsx';
import { EventField } from '../fields/event.tsx';
import type { Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

export const goal: Kind = {
  label: 'Goal',
  hint: 'People who reach it continue here, from any step before',
  icon: 'goal',
  make: () => ({ type: 'goal' }),
  Form: GoalForm,
};

function GoalForm(props: StepFormProps) {
  const { step, errors, why, onChange } = props;
  const form = useStepForm(props, read, write);
  const { kind } = form.values.value;
  const isEvent = kind === 'event';
  return (
    <>
      <p class="dim small">People who reach it count as converted. Others pass through.</p>
      <Options
        form={form}
        name="kind"
        label="Reached by"
        look="segments"
        options={[
          { value: 'person', label: 'What the person is', isDisabled: why !== null },
          { value: 'event', label: 'An event', isDisabled: why !== null },
        ]}
      />
      {isEvent && <EventField form={form} name="eventName" why={why} />}
      <section class="stack near way" aria-label={isEvent ? 'Only events and people' : 'Those who'}>
        <Conditions
          key={kind}
          criteria={step.filterCriteria ?? null}
          eventName={step.eventName}
          errors={errors}
          isReadOnly={why !== null}
          onChange={(criteria) => onChange(withFilter(step, criteria), `${step.stepId} filter`)}
        />
        {isEvent && !step.filterCriteria && <p class="hint">Without a condition every such event counts.</p>}
      </section>
    </>
  );
}

function read({ eventName }: Step) {
  return { kind: (eventName === undefined ? 'person' : 'event') as string, eventName: eventName ?? '' };
}

/** A filter of people cannot be about an event, nor the other way round. */
function write(step: Step, { kind, eventName }: ReturnType<typeof read>): Step {
  const wasEvent = step.eventName !== undefined;
  const isEvent = kind === 'event';
  const { eventName: _, filterCriteria, ...rest } = step;
  return {
    ...rest,
    ...(isEvent && { eventName }),
    ...(wasEvent === isEvent && filterCriteria && { filterCriteria }),
  };
}

function withFilter(step: Step, criteria: Record<string, unknown> | null): Step {
  const { filterCriteria: _, ...rest } = step;
  return criteria ? { ...rest, filterCriteria: criteria } : rest;
}
