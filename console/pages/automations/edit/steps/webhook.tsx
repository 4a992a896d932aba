import { Checkbox } from '../../../../parts/forms/choices.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import { Amount } from '../fields/amount.tsx';
import { errorsIn } from '../fields/errors.ts';
import { lateOf, type Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

/** The interface has it where none is given. */
const TIMEOUT = { value: 24, unit: 'hours' } as const;

export const webhook: Kind = {
  label: 'Post to a program',
  hint: 'An event about the person, to an address of yours',
  icon: 'webhook',
  make: () => ({ type: 'webhook', webhook: { wait: false } }),
  Form: WebhookForm,
};

function WebhookForm(props: StepFormProps) {
  const { step, errors, why, onChange } = props;
  const form = useStepForm(props, read, write);
  const { webhookId, headers = [], wait, timeout = TIMEOUT } = step.webhook ?? {};
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
        <Amount
          amount={timeout}
          units={['minutes', 'hours']}
          label="At most"
          min="1"
          errors={errorsIn(errors, 'webhook/timeout')}
          why={why}
          onChange={(next, field) =>
            onChange({ ...step, webhook: { ...step.webhook, wait, timeout: next } }, `${step.stepId} timeout ${field}`)
          }
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
  return { 'webhook/url': webhook?.url ?? '', wait: webhook?.wait ?? false };
}

/** Headers that are named keep their values. */
function write(step: Step, values: ReturnType<typeof read>): Step {
  const { url: _, wait: __, timeout, ...rest } = step.webhook ?? { wait: false };
  const { failureStepId = null, ...others } = step;
  return {
    ...others,
    webhook: {
      ...rest,
      ...(values['webhook/url'] && { url: values['webhook/url'] }),
      wait: values.wait,
      ...(values.wait && timeout && { timeout }),
    },
    ...(values.wait && { failureStepId }),
  };
}
