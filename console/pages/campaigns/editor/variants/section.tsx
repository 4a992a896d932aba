import type { Signal } from '@preact/signals';
import type { CountedAudience } from '../../../../../client/index.ts';
import { Options } from '../../../../parts/forms/choices.tsx';
import { Field, Select } from '../../../../parts/forms/field.tsx';
import type { Form } from '../../../../parts/forms/form.ts';
import { Notice } from '../../../../parts/page/notice.tsx';
import { Section } from '../../../../parts/page/page.tsx';
import type { Draft } from '../draft.ts';
import { indexesOf } from './given.ts';
import { TestFields } from './test-fields.tsx';
import { Variant } from './variant.tsx';
import { planOf, planWords, tooFew } from './words.ts';

const counts = [
  { value: '0', label: 'One mail for all' },
  ...['Two', 'Three', 'Four', 'Five'].map((word, index) => ({ value: String(index + 2), label: `${word} mails` })),
];

/** Two to five mails of the campaign, who gets which, and who gets nothing. */
export function VariantsSection({
  form,
  person,
  notice,
  found,
  isReadOnly,
}: {
  form: Form<Draft>;
  person: Signal<string>;
  /** Why it is not saved, where only the mail is seen. */
  notice: string | null;
  /** null: the audience is being counted. */
  found: CountedAudience | null;
  isReadOnly: boolean;
}) {
  const why = isReadOnly && 'Your role only reads.';
  const draft = form.values.value;
  const indexes = indexesOf(draft);
  return (
    <Section title="Try two to five mails" hasRule>
      <div class="cols near">
        <div class="c4">
          <Select
            form={form}
            name="variants"
            label="How many mails"
            hint="Each is as above but for what you change in it."
            why={why}
            options={counts}
          />
        </div>
        <div class="c4">
          <Field
            form={form}
            name="holdOutShare"
            label="Per cent who get nothing"
            inputMode="numeric"
            hint="To compare them with people who got a mail. 0: nobody is left out."
            why={why}
          />
        </div>
      </div>
      {indexes.length > 0 && (
        <>
          <Options
            form={form}
            name="comparing"
            label="Who gets which"
            look="list"
            options={[
              {
                value: 'test',
                label: 'Some people get them first, then all others get the better one',
                isDisabled: isReadOnly,
              },
              { value: 'split', label: 'Everybody gets one of them, in shares', isDisabled: isReadOnly },
            ]}
          />
          <ul class="variants">
            {indexes.map((index) => (
              <Variant key={index} {...{ form, index, person, notice, why }} canLeave={!isReadOnly} />
            ))}
          </ul>
          {draft.comparing === 'test' && <TestFields form={form} why={why} />}
        </>
      )}
      {(indexes.length > 0 || Number(draft.holdOutShare) > 0) && <PlanText draft={draft} found={found} />}
    </Section>
  );
}

function PlanText({ draft, found }: { draft: Draft; found: CountedAudience | null }) {
  const plan = found && planOf(draft, found.willReceive);
  if (!plan)
    return (
      <p class="dim">
        {found
          ? 'What will happen is said here when the numbers above can be read.'
          : 'What will happen is said here when the audience is counted.'}
      </p>
    );
  const few = tooFew(draft, plan);
  return (
    <>
      <p data-testid="variants-plan">{planWords(draft, plan)}</p>
      {few && (
        <Notice kind="warn" title="The figures cannot decide">
          {few}
        </Notice>
      )}
    </>
  );
}
