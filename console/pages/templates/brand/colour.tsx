import { ratioOf } from '../../../mail-editor/colours/of-brand.ts';
import { CONTRAST_MIN, contrast } from '../../../parts/data/colours.ts';
import { Field } from '../../../parts/forms/field.tsx';
import type { Form } from '../../../parts/forms/form.ts';
import type { COLOURS, Values } from './values.ts';

const HEX = /^#[0-9a-f]{6}$/i;

/** A colour of the brand, with its contrast to the paper where it is read on it. */
export function Colour({
  form,
  name,
  label,
  hint,
  why,
}: {
  form: Form<Values>;
  name: (typeof COLOURS)[number]['name'];
  label: string;
  hint: string;
  why: string | null;
}) {
  const values = form.values.value;
  const [colour, paper] = [values[name], values['colours/paper']];
  const isRead = name === 'colours/primary' || name === 'colours/text';
  const isPale = HEX.test(colour) && HEX.test(paper) && contrast(colour, paper) < CONTRAST_MIN;
  return (
    <div class="stack tight">
      <div class="row colour">
        <Field form={form} name={name} label={label} isMono autocomplete="off" hint={hint} why={why} />
        <input
          class="in fit"
          type="color"
          aria-label={`Pick: ${label}`}
          value={HEX.test(colour) ? colour.toLowerCase() : '#888888'}
          disabled={why !== null}
          onInput={(event) => form.set(name, event.currentTarget.value)}
        />
      </div>
      {isRead && HEX.test(colour) && HEX.test(paper) && (
        <span class={isPale ? 't-warn small' : 'dim small'} role="status">
          {ratioOf(colour, paper)} on paper{isPale ? ', hard to read' : ''}
        </span>
      )}
    </div>
  );
}
