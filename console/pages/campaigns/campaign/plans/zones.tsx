import { useComputed } from '@preact/signals';
import type { Campaign } from '../../../../../client/index.ts';
import { people } from '../../../../parts/data/format.ts';
import { ZonePlan } from '../../../../parts/data/zone-plan.tsx';
import { Section } from '../../../../parts/page/page.tsx';
import { localWords } from '../../editor/local.ts';
import type { Known } from '../figures.ts';

/** A campaign at local time: its zones over the clock, as they are sent to. */
export function Zones({ localTime, known }: { localTime: NonNullable<Campaign['localTime']>; known: Known }) {
  const { value: zones } = useComputed(() => known.progress.data.value?.zones ?? []);
  const without = zones.filter(({ isFallback }) => isFallback).reduce((sum, { total }) => sum + total, 0);
  if (zones.length === 0) return null;
  return (
    <Section title="Local time" note={localWords(localTime)} hasRule>
      <ZonePlan zones={zones} />
      {without > 0 && (
        <p class="sub small">
          {people(without)} without a time zone {without === 1 ? 'gets' : 'get'} it at this time in{' '}
          {localTime.fallbackTimezone.replaceAll('_', ' ')}.
        </p>
      )}
    </Section>
  );
}
