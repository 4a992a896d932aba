import type { CountedAudience } from '../../../../client/index.ts';
import { timezone as ownZone, zonesWith } from '../../../locale.ts';
import { count, people } from '../../../parts/data/format.ts';
import { Choose } from '../../../parts/forms/choices.tsx';
import { Field, Select } from '../../../parts/forms/field.tsx';
import type { Form } from '../../../parts/forms/form.ts';
import { type Draft, planOf } from './draft.ts';
import { LocalFields, LocalPlan } from './local-fields.tsx';

const SHOWN_DAYS = 14;

/** At once, at a time, at the local time of each person or some each day, these two with the plan drawn. */
export function Schedule({
  form,
  found,
  isReadOnly,
}: {
  form: Form<Draft>;
  /** null: the audience is being counted. */
  found: CountedAudience | null;
  isReadOnly: boolean;
}) {
  const { when, timezone } = form.values.value;
  const why = isReadOnly && 'Your role only reads.';
  return (
    <div class="cols">
      <div class="stack c4">
        <Choose
          label="When"
          value={when}
          options={[
            { value: 'immediate', label: 'At once', isDisabled: isReadOnly },
            { value: 'scheduled', label: 'At a time', isDisabled: isReadOnly },
            { value: 'local', label: 'Local time', isDisabled: isReadOnly },
            { value: 'gradual', label: 'Gradually', isDisabled: isReadOnly },
          ]}
          onChange={(value) => form.set('when', value as Draft['when'])}
        />
        {when === 'local' && <LocalFields form={form} why={why} />}
        {(when === 'scheduled' || when === 'gradual') && (
          <Field
            form={form}
            name="scheduledAt"
            label={when === 'gradual' ? 'Begin (empty: when published)' : 'Time'}
            type="datetime-local"
            hint={`In your time zone, ${ownZone}.`}
            why={why}
          />
        )}
        {when === 'gradual' && (
          <>
            <Field
              form={form}
              name="emailsPerDay"
              label="People on the first day"
              inputMode="numeric"
              isNarrow
              why={why}
            />
            <Select
              form={form}
              name="growth"
              label="Each day after it"
              isNarrow
              why={why}
              options={[
                { value: 'fixed', label: 'the same' },
                { value: '1.25x', label: '1.25 times as many' },
                { value: '1.5x', label: '1.5 times as many' },
                { value: '1.75x', label: '1.75 times as many' },
                { value: '2x', label: 'twice as many' },
              ]}
            />
            <Select
              form={form}
              name="timezone"
              label="Days begin in"
              isNarrow
              why={why}
              options={zonesWith(timezone)}
            />
          </>
        )}
      </div>
      <div class="c8">
        {when === 'gradual' ? (
          <Plan draft={form.values.value} willReceive={found?.willReceive ?? null} timezone={timezone} />
        ) : when === 'local' ? (
          <LocalPlan found={found} />
        ) : (
          <p class="dim">
            {when === 'immediate'
              ? 'It begins within a minute after you publish, as fast as the relay takes it.'
              : 'It begins then, by itself. Until then you can change or stop it.'}
          </p>
        )}
      </div>
    </div>
  );
}

function Plan({ draft, willReceive, timezone }: { draft: Draft; willReceive: number | null; timezone: string }) {
  const days = willReceive === null ? [] : planOf(draft, willReceive);
  const shown = days.slice(0, SHOWN_DAYS);
  const most = Math.max(1, ...shown);
  if (days.length === 0) return <p class="dim">The plan is drawn when the audience is counted.</p>;
  return (
    <div class="stack tight">
      <p class="strong">
        {days.length === 1 ? 'One day' : `${days.length} days`}, the last with {people(days.at(-1) ?? 0)}, days of{' '}
        {timezone}
      </p>
      <ol class="plan">
        {shown.map((n, index) => (
          <li key={index}>
            <span class="dim">Day {index + 1}</span>
            <svg class="bar" aria-hidden="true">
              <rect class="f-accent" width={`${((n / most) * 100).toFixed(2)}%`} height="100%" />
            </svg>
            <span class="num">{count(n)}</span>
          </li>
        ))}
      </ol>
      {days.length > SHOWN_DAYS && <p class="dim small">and {count(days.length - SHOWN_DAYS)} days more</p>}
    </div>
  );
}
