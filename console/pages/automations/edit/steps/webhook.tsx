import { ChooserField } from '../../../../parts/choose/chooser.tsx';
import { webhooks } from '../../../../parts/choose/things.ts';
import { Checkbox, Options } from '../../../../parts/forms/choices.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import { Amount } from '../fields/amount.tsx';
import { errorsIn } from '../fields/errors.ts';
import { lateOf, type Step } from '../model/steps.ts';
import { Headers } from './headers.tsx';
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
  const { wait, timeout = TIMEOUT } = step.webhook ?? {};
  const hasOwnWay = lateOf(step) !== null;
  return (
    <>
      <Options
        form={form}
        name="to"
        label="To"
        look="segments"
        options={[
          { value: 'url', label: 'An address', isDisabled: why !== null },
          { value: 'webhook', label: 'A webhook of the project', isDisabled: why !== null },
        ]}
      />
      {form.values.value.to === 'webhook' ? (
        <ChooserField
          form={form}
          name="webhook/webhookId"
          label="Webhook"
          placeholder="Choose a webhook"
          things={webhooks}
          why={why}
        />
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
      <Headers {...props} />
    </>
  );
}

function read({ webhook: { url = '', webhookId = '', wait = false } = { wait: false } }: Step) {
  return { to: webhookId ? 'webhook' : 'url', 'webhook/url': url, 'webhook/webhookId': webhookId, wait };
}

function write({ failureStepId = null, webhook, ...step }: Step, values: ReturnType<typeof read>): Step {
  const { url: _, webhookId: __, timeout, ...rest } = webhook ?? { wait: false };
  const { to, 'webhook/url': url, 'webhook/webhookId': webhookId, wait } = values;
  return {
    ...step,
    webhook: {
      ...rest,
      ...(to === 'url' && url && { url }),
      ...(to === 'webhook' && webhookId && { webhookId }),
      wait,
      ...(wait && timeout && { timeout }),
    },
    ...(wait && { failureStepId }),
  };
}
