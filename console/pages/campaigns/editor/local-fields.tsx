import type { CountedAudience } from '../../../../client/index.ts';
import { zonesWith } from '../../../locale.ts';
import { count, people } from '../../../parts/data/format.ts';
import { ZonePlan } from '../../../parts/data/zones/plan.tsx';
import { Field, Select } from '../../../parts/forms/field.tsx';
import type { Form } from '../../../parts/forms/form.ts';
import { Notice } from '../../../parts/page/notice.tsx';
import { to } from '../../../router.ts';
import type { Draft } from './draft.ts';
import { LATE } from './local.ts';

/** The day and the time that clocks show, and what becomes of people without a zone and of those who are late. */
export function LocalFields({ form, why }: { form: Form<Draft>; why: string | false }) {
  return (
    <>
      <Field form={form} name="localTime/date" label="Day" type="date" isNarrow why={why} />
      <Field
        form={form}
        name="localTime/time"
        label="Time"
        type="time"
        isNarrow
        hint="As the clock of each person shows it."
        why={why}
      />
      <Select
        form={form}
        name="localTime/fallbackTimezone"
        label="People without a time zone are in"
        isNarrow
        why={why}
        options={zonesWith(form.values.value['localTime/fallbackTimezone'])}
      />
      <Select
        form={form}
        name="localTime/late"
        label="People whose time is over by then"
        isNarrow
        why={why}
        options={[...LATE]}
      />
    </>
  );
}

/** The time of each zone, while the campaign is planned. */
export function LocalPlan({ found }: { found: CountedAudience | null }) {
  const { zones } = found ?? {};
  if (!zones) return <p class="dim">The plan is drawn when the day is chosen and the audience is counted.</p>;
  const timed = zones.flatMap(({ at, ...zone }) => (at ? [{ ...zone, at }] : []));
  const without = zones.filter(({ isFallback }) => isFallback).reduce((sum, { total }) => sum + total, 0);
  const late = zones.filter(({ at }) => at === null).reduce((sum, { total }) => sum + total, 0);
  return (
    <div class="stack">
      <ZonePlan zones={timed} />
      {without > 0 && (
        <Notice
          kind="warn"
          title={`${people(without)} ${without === 1 ? 'has' : 'have'} no time zone`}
          action={
            <a class="link" href={to('/settings')}>
              Settings
            </a>
          }
        >
          They have none that exists in the property that the settings of the project name, and get it at this time in{' '}
          {zones.find(({ isFallback }) => isFallback)?.timezone}.
        </Notice>
      )}
      {late > 0 && (
        <Notice kind="warn" title={`${people(late)} ${late === 1 ? 'does' : 'do'} not get it`}>
          Where they are this time is over. Choose a later day, or let them have it at once or on the next day.
        </Notice>
      )}
      {found && !found.isExact && <p class="dim small">About: zones are counted exactly when the campaign starts.</p>}
      {found && found.suppressed > 0 && (
        <p class="dim small">{count(found.suppressed)} of them are suppressed, in whichever zone they are.</p>
      )}
    </div>
  );
}
