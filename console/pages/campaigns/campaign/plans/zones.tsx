import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Campaign, CampaignProgress } from '../../../../../client/index.ts';
import { people } from '../../../../parts/data/format.ts';
import type { PlannedTest } from '../../../../parts/data/zones/clock.ts';
import { ZonePlan } from '../../../../parts/data/zones/plan.tsx';
import { Section } from '../../../../parts/page/page.tsx';
import { NotCounted, useAudience } from '../../editor/audience.tsx';
import { draftOf } from '../../editor/draft.ts';
import { localWords } from '../../editor/local.ts';
import { LocalPlan } from '../../editor/local-fields.tsx';
import type { Known } from '../figures.ts';
import { isOver } from '../words.tsx';

const MINUTE_MS = 60_000;

interface Given {
  campaign: Campaign;
  localTime: NonNullable<Campaign['localTime']>;
}

/** A campaign at local time: its zones over the clock, as they are sent to. */
export function Zones({ campaign, localTime, known }: Given & { known: Known }) {
  const { value: zones } = useComputed(() => known.progress.data.value?.zones ?? []);
  const { value: test } = useComputed(() => known.progress.data.value?.test ?? null);
  const without = zones.filter(({ isFallback }) => isFallback).reduce((sum, { total }) => sum + total, 0);
  if (zones.length === 0) return null;
  return (
    <Section title="Local time" note={localWords(localTime)} hasRule>
      <ZonePlan zones={zones} test={test && shownTest(campaign, test)} />
      {without > 0 && (
        <p class="sub small">
          {people(without)} without a time zone {without === 1 ? 'gets' : 'get'} it at this time in{' '}
          {localTime.fallbackTimezone.replaceAll('_', ' ')}.
        </p>
      )}
    </Section>
  );
}

/** Before the audience is written down: the people of each zone now. */
export function PlannedZones({ campaign, localTime }: Given) {
  const draft = useMemo(() => draftOf(campaign), [campaign.id, campaign.updatedAt]);
  const audience = useAudience(draft);
  const found = audience.found.value;
  return (
    <Section title="Local time" note={localWords(localTime)} hasRule>
      {found ? (
        <LocalPlan found={found} />
      ) : audience.error.value ? (
        <NotCounted {...audience} />
      ) : (
        <p class="dim">The audience is being counted.</p>
      )}
    </Section>
  );
}

type Test = NonNullable<CampaignProgress['test']>;

/** Until its last mail is sent the decision is expected as long after its first. */
function shownTest({ test: plan, status }: Campaign, { at, total, sent, decideAt, winner }: Test): PlannedTest | null {
  if (!at) return null;
  const expected = new Date(Date.parse(at) + (plan?.decideAfterMinutes ?? 0) * MINUTE_MS).toISOString();
  const earliest = isOver(status) ? null : (decideAt ?? expected);
  return { at, total, sent, decideAt: winner?.at ?? earliest, winner: winner?.variantId ?? null };
}
