import { Field } from './field.tsx';
import type { Form } from './form.ts';
import { type UtmTexts, utmNames } from './utm.ts';

const words = {
  source: { label: 'Source', placeholder: 'newsletter' },
  medium: { label: 'Medium', placeholder: 'email' },
  campaign: { label: 'Campaign', placeholder: 'winter' },
  term: { label: 'Term', placeholder: '' },
  content: { label: 'Content', placeholder: '' },
} as const;

/** The parameters that are added to the links of a mail. */
export function UtmFields({ form, why }: { form: Form<UtmTexts>; why: string | false | null }) {
  return (
    <fieldset class="stack tight">
      <legend class="label">UTM parameters of its links</legend>
      <div class="utm">
        {utmNames.map((name) => (
          <Field
            key={name}
            form={form}
            name={`utm/${name}`}
            label={words[name].label}
            placeholder={words[name].placeholder}
            autocomplete="off"
            why={why}
          />
        ))}
      </div>
      <span class="hint">Without any of them, those of the template. Links that have some keep their own.</span>
    </fieldset>
  );
}
