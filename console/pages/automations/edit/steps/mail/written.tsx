import { batch } from '@preact/signals';
import type { Form } from '../../../../../parts/forms/form.ts';
import { Blocks } from './blocks.tsx';
import { Code } from './code.tsx';
import { CONTENT, type Values } from './values.ts';

/** The mail that belongs to the step: blocks, or code. */
export function Written({ onBegin, ...given }: { form: Form<Values>; why: string | null; onBegin: () => void }) {
  const { form, why } = given;
  const { [CONTENT]: content, 'email/subject': subject, 'email/previewText': previewText } = form.values.value;
  if (!content) return <Code {...given} />;
  return (
    <Blocks
      {...{ content, subject, previewText, why, onBegin }}
      errors={form.errors.value}
      onWrite={({ content: next, about }) =>
        batch(() => {
          // A value of its own, also where a text alone is changed: its field names the act.
          form.set(CONTENT, { ...next });
          form.set('email/subject', about.subject ?? '');
          form.set('email/previewText', about.previewText ?? '');
        })
      }
      onCode={(html) =>
        batch(() => {
          form.set(CONTENT, null);
          form.set('email/htmlTemplate', html);
        })
      }
    />
  );
}
