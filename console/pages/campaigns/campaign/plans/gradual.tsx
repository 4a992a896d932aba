import { useComputed } from '@preact/signals';
import type { GradualState, Series } from '../../../../../client/index.ts';
import { Legend } from '../../../../parts/data/bars.tsx';
import { count, counted, day } from '../../../../parts/data/format.ts';
import { Plot } from '../../../../parts/data/plot.tsx';
import { Loaded } from '../../../../parts/page/loaded.tsx';
import { Section } from '../../../../parts/page/page.tsx';
import type { Query } from '../../../../parts/page/query.ts';
import type { Known } from '../figures.ts';

const DAY_MS = 86_400_000;
const growths = { fixed: 1, '1.25x': 1.25, '1.5x': 1.5, '1.75x': 1.75, '2x': 2 } as const;
const DAYS_MAX = 120;
/** A short plan is not stretched. */
const DAYS_MIN = 8;

/** The plan by day, and what was sent on each. A day on which it was paused all day is not a day of the plan. */
export function GradualPlan({ plan, known, days }: { plan: GradualState; known: Known; days: Query<Series> }) {
  const { value: total } = useComputed(() => {
    const progress = known.progress.data.value;
    return progress ? progress.total - progress.suppressed : 0;
  });
  const { value: sent } = useComputed(() => known.progress.data.value?.sent ?? 0);
  return (
    <Section
      title="Plan by day"
      note={planWords(plan)}
      hasRule
      aside={
        <Legend
          items={[
            { label: 'planned', fill: 'soft' },
            { label: 'sent', fill: 'accent' },
          ]}
        />
      }
    >
      <Loaded query={days}>
        {(series) => {
          const rows = daysOf(plan, { total, sent }, series);
          return (
            <Plot
              label={`${counted(Math.max(0, rows.length - 1), 'day')}: ${planWords(plan)}`}
              times={rows.map(({ at }) => at)}
              until={untilOf(rows)}
              series={[
                { label: 'planned', values: rows.map(({ planned }) => planned), kind: 'bars', fill: 'soft' },
                { label: 'sent', values: rows.map(({ sent }) => sent), kind: 'bars' },
              ]}
              formatTime={dayOfRow}
              timezone={plan.timezone}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

function planWords({ emailsPerDay, growth, timezone, day: at }: GradualState): string {
  const grows = growth === 'fixed' ? 'each day the same' : `each day ${growth.replace('x', '')} times the day before`;
  const now = at > 0 ? `; day ${at} now` : '';
  return `${count(emailsPerDay)} on the first day, ${grows}, ${timezone}${now}`;
}

/** Days ahead are 24 hours each, where clocks may be moved in between. */
function dayOfRow(at: Date): string {
  return day(at.getTime() + DAY_MS / 2);
}

interface DayRow {
  at: number;
  planned: number | null;
  sent: number | null;
}

/** Days that were, with the plan of each; then those that the rest of the people needs. */
function daysOf(plan: GradualState, { total, sent: all }: { total: number; sent: number }, series: Series): DayRow[] {
  const past = pastOf(series, all);
  let number = 0;
  let left = total;
  const rows: DayRow[] = past.map(({ at, sent }, index) => {
    const isLast = index === past.length - 1;
    if (sent === 0 && !isLast) return { at, planned: null, sent };
    number += 1;
    const planned = Math.min(quotaOfDay(plan, number), Math.max(0, left));
    left -= isLast ? Math.max(sent, planned) : sent;
    return { at, planned, sent };
  });
  const begins = rows.at(-1)?.at ?? Math.max(Date.parse(plan.startAt ?? '') || 0, Date.now()) - DAY_MS;
  for (let ahead = 1; left > 0 && rows.length < DAYS_MAX; ahead += 1) {
    number += 1;
    const planned = Math.min(quotaOfDay(plan, number), left);
    left -= planned;
    rows.push({ at: begins + ahead * DAY_MS, planned, sent: null });
  }
  // Bars are drawn in the middle of their time: this leaves room for half of the first and the last one.
  const [earliest] = rows;
  return earliest ? [{ at: earliest.at - DAY_MS, planned: null, sent: null }, ...rows] : [];
}

/** Counts by day are some seconds late: what they do not have yet was sent today. */
function pastOf({ points }: Series, all: number): Array<{ at: number; sent: number }> {
  const days = points.map(({ from, sent }) => ({ at: Date.parse(from), sent }));
  const today = days.at(-1);
  if (!today) return [];
  const before = days.reduce((sum, { sent }) => sum + sent, 0) - today.sent;
  const whole = [...days.slice(0, -1), { at: today.at, sent: Math.max(today.sent, all - before) }];
  const first = whole.findIndex(({ sent }) => sent > 0);
  return first < 0 ? [] : whole.slice(first);
}

function untilOf(rows: readonly DayRow[]): number | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  return first && last && Math.max(last.at + DAY_MS, first.at + DAYS_MIN * DAY_MS);
}

function quotaOfDay({ emailsPerDay, growth }: GradualState, number: number): number {
  return Math.max(1, Math.floor(emailsPerDay * growths[growth] ** (number - 1)));
}
