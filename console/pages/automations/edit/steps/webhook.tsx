import { Checkbox } from '../../../../parts/forms/choices.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import { lateOf, type Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';
import { numberIn } from './wait.tsx';

export const webhook: Kind = {
  label: 'Post to a program',
  hint: 'An event about the person, to an address of yours',
  icon: 'webhook',
  make: () => ({ type: 'webhook', webhook: { wait: false } }),
  Form: WebhookForm,
};

function WebhookForm(props: StepFormProps) {
  const { step, why } = props;
  const form = useStepForm(props, read, write);
  const { webhookId, headers = [], wait } = step.webhook ?? {};
  const hasOwnWay = lateOf(step) !== null;
  return (
    <>
      {webhookId ? (
        <p class="dim">It posts to a webhook of the project, which the interface alone changes here.</p>
      ) : (
        <Field
          form={form}
          name="webhook/url"
          label="Address"
          type="url"
          placeholder="https://hooks.example.com/people"
          isMono
          why={why}
        />
      )}
      <Checkbox
        form={form}
        name="wait"
        label="Wait for its answer"
        hint={
          hasOwnWay
            ? 'The way “no answer” has steps of its own: remove them first.'
            : 'It may set properties of the person.'
        }
        isDisabled={why !== null || hasOwnWay}
      />
      {wait && (
        <Field
          form={form}
          name="webhook/timeout/value"
          label="Hours at most"
          type="number"
          min="1"
          max="24"
          isNarrow
          why={why}
        />
      )}
      {headers.length > 0 && (
        <p class="dim small">
          Sent with the headers {headers.map(({ name }) => name).join(', ')}. Another address needs their values again.
        </p>
      )}
    </>
  );
}

function read({ webhook }: Step) {
  const { value = 1, unit = 'hours' } = webhook?.timeout ?? {};
  return {
    'webhook/url': webhook?.url ?? '',
    wait: webhook?.wait ?? false,
    'webhook/timeout/value': String(unit === 'hours' ? value : value / 60),
  };
}

/** Headers that are named keep their values. */
function write(step: Step, values: ReturnType<typeof read>): Step {
  const { url: _, wait: __, timeout: ___, ...rest } = step.webhook ?? { wait: false };
  const { failureStepId = null, ...others } = step;
  const timeout = { value: numberIn(values['webhook/timeout/value']), unit: 'hours' as const };
  return {
    ...others,
    webhook: {
      ...rest,
      ...(values['webhook/url'] && { url: values['webhook/url'] }),
      wait: values.wait,
      ...(values.wait && { timeout }),
    },
    ...(values.wait && { failureStepId }),
  };
}
