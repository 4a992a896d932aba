import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { timezone as ownZone } from '../../locale.ts';
import { Button } from '../forms/button.tsx';
import { count, counted, hour, people, weekday } from './format.ts';
import { Time } from './time.tsx';

export interface PlannedZone {
  timezone: string;
  /** People without a zone of their own. */
  isFallback: boolean;
  at: string;
  total: number;
  /** Absent before sending. */
  sent?: number;
}

const HOUR_MS = 3_600_000;
const SHOWN = 12;
const TICKS_MAX = 6;
const STEPS_H = [1, 2, 3, 4, 6, 12, 24, 48, 168];
const MOVES_MS = 5_000;
/** Of the track, in per cent: as wide as the mark of a zone. */
const MARK = 5;

/** Zones as rows over one clock, in the order of their moments: a mark fills as its people are sent to, and the line of now moves. */
export function ZonePlan({ zones }: { zones: readonly PlannedZone[] }) {
  const isWhole = useSignal(false);
  const nowMs = useNow();
  const [first, last] = [zones[0], zones.at(-1)];
  if (!first || !last) return <p class="dim">Nobody gets it.</p>;
  const span = spanOf(Date.parse(first.at), Date.parse(last.at));
  const shown = isWhole.value ? zones : zones.slice(0, SHOWN);
  const rest = zones.length - shown.length;
  return (
    <div class="zones">
      <p class="strong">
        {counted(zones.length, 'zone')}, from {weekday(first.at)} to {weekday(last.at)}{' '}
        <span class="sub small">in your time, {ownZone.replaceAll('_', ' ')}</span>
      </p>
      <div class="axis">
        <svg aria-hidden="true">
          {ticksOf(span).map((ms) => (
            <text key={ms} class="hour" x={`${placeOf(span, ms)}%`} y="12">
              {hour(ms)}
            </text>
          ))}
        </svg>
      </div>
      <ol>
        {shown.map((zone) => (
          <Row key={`${zone.timezone} ${zone.isFallback}`} zone={zone} span={span} nowMs={nowMs} />
        ))}
      </ol>
      {rest > 0 && (
        <Button
          isSmall
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show {counted(rest, 'more zone', 'more zones')}
        </Button>
      )}
    </div>
  );
}

function Row({ zone, span, nowMs }: { zone: PlannedZone; span: Span; nowMs: number }) {
  const { timezone, isFallback, at, total, sent } = zone;
  const x = Math.min(100 - MARK, placeOf(span, Date.parse(at)));
  const done = total === 0 ? 0 : Math.min(1, (sent ?? 0) / total);
  const now = placeOf(span, nowMs);
  return (
    <li>
      <span class="zone">
        {timezone.replaceAll('_', ' ')} {isFallback && <span class="dim small">no zone of their own</span>}
      </span>
      <svg class="track" aria-hidden="true">
        <rect class="f-line" y="7" width="100%" height="1" />
        <rect class="f-soft" x={`${x}%`} y="3" width={`${MARK}%`} height="9" />
        <rect class="f-accent" x={`${x}%`} y="3" width={`${(MARK * done).toFixed(2)}%`} height="9" />
        {now >= 0 && now <= 100 && <rect class="f-bad" x={`${now}%`} width="1" height="15" />}
      </svg>
      <span class="at">
        <Time at={at} words={hour(at)} />
      </span>
      <span class="num">
        {sent === undefined ? (
          people(total)
        ) : (
          <>
            <b>{count(sent)}</b> of {count(total)}
          </>
        )}
      </span>
    </li>
  );
}

interface Span {
  fromMs: number;
  toMs: number;
}

/** Whole hours, with room for the last mark. */
function spanOf(firstMs: number, lastMs: number): Span {
  const fromMs = Math.floor(firstMs / HOUR_MS) * HOUR_MS;
  return { fromMs, toMs: Math.max(fromMs + 2 * HOUR_MS, (Math.floor(lastMs / HOUR_MS) + 2) * HOUR_MS) };
}

function placeOf({ fromMs, toMs }: Span, ms: number): number {
  return Number((((ms - fromMs) / (toMs - fromMs)) * 100).toFixed(2));
}

function ticksOf({ fromMs, toMs }: Span): number[] {
  const hours = (toMs - fromMs) / HOUR_MS;
  const step = STEPS_H.find((one) => hours / one <= TICKS_MAX) ?? Math.ceil(hours / TICKS_MAX);
  return Array.from({ length: Math.ceil(hours / step) }, (_, index) => fromMs + index * step * HOUR_MS);
}

function useNow(): number {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, MOVES_MS);
    return () => clearInterval(timer);
  }, []);
  return now.value;
}
