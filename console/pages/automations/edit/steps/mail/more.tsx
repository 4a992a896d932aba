import { Field } from '../../../../../parts/forms/field.tsx';
import type { Form } from '../../../../../parts/forms/form.ts';
import type { Values } from './values.ts';

/** Where answers go, and the marks by which its mails are found. */
export function More({ form, why }: { form: Form<Values>; why: string | null }) {
  return (
    <section class="stack near way" aria-label="More of this mail">
      <div class="two">
        <Field
          form={form}
          name="email/senderName"
          label="Name of the sender"
          placeholder="that of the sender"
          autocomplete="off"
          why={why}
        />
        <Field
          form={form}
          name="email/senderReplyToEmail"
          label="Answers go to"
          placeholder="the sender"
          autocomplete="off"
          why={why}
        />
        <Field
          form={form}
          name="email/senderReplyToName"
          label="Name for answers"
          placeholder="none"
          autocomplete="off"
          why={why}
        />
      </div>
      <Field
        form={form}
        name="email/tags"
        label="Tags"
        placeholder="season:winter, kind:letter"
        hint="To find and to count its mails by, each as name:value."
        autocomplete="off"
        isMono
        why={why}
      />
      <p class="hint">
        UTM parameters of its links, and whether opens and clicks count, are those of the automation: choose its entry.
      </p>
    </section>
  );
}
