import { Field } from '../../../../parts/forms/field.tsx';
import type { Step } from '../model/steps.ts';
import { type Kind, type StepFormProps, useStepForm } from './step-form.ts';

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
  const { webhookId, headers = [] } = step.webhook ?? {};
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
      {headers.length > 0 && (
        <p class="dim small">
          Sent with the headers {headers.map(({ name }) => name).join(', ')}. Another address needs their values again.
        </p>
      )}
    </>
  );
}

function read({ webhook }: Step) {
  return { 'webhook/url': webhook?.url ?? '' };
}

/** Headers that are named keep their values. */
function write(step: Step, values: ReturnType<typeof read>): Step {
  const { url: _, ...rest } = step.webhook ?? { wait: false };
  return { ...step, webhook: { ...rest, ...(values['webhook/url'] && { url: values['webhook/url'] }) } };
}
