import { batch } from '@preact/signals';
import { ChooserField } from '../../../../../parts/choose/chooser.tsx';
import { marketingTemplates } from '../../../../../parts/choose/things.ts';
import type { Form } from '../../../../../parts/forms/form.ts';
import { match, place, to } from '../../../../../router.ts';
import type { Values } from './values.ts';

/** The subject and preview text of a step would take the place of the template's, so those of another mail go. */
export function FromTemplate({ form, stepId, why }: { form: Form<Values>; stepId: string; why: string | null }) {
  const { automationId } = match('/automations/{automationId}/edit', place.value.path) ?? {};
  const { 'email/templateId': templateId } = form.values.value;
  return (
    <>
      <ChooserField
        form={form}
        name="email/templateId"
        label="Template"
        placeholder="Choose a template"
        things={marketingTemplates}
        why={why}
        onPick={() =>
          batch(() => {
            form.set('email/subject', '');
            form.set('email/previewText', '');
          })
        }
      />
      {!templateId && <p class="hint">Until one is chosen, the mail stays as it was written.</p>}
      {templateId && (
        <p>
          <a class="link" href={to(`/templates/${templateId}`, { automation: automationId, step: stepId })}>
            Open the template
          </a>
        </p>
      )}
    </>
  );
}
