import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { timezone as ownZone } from '../../../locale.ts';
import { Button } from '../../forms/button.tsx';
import { count, counted, dayOfWeek, hour, hourOfDay, people, weekday } from '../format.ts';
import { Time } from '../time.tsx';
import {
  heldUntil,
  nextWords,
  type PlannedTest,
  type PlannedZone,
  placeOf,
  type Span,
  spanOf,
  ticksOf,
} from './clock.ts';

const SHOWN = 12;
const MOVES_MS = 5_000;
/** Of the track, in per cent: as wide as the mark of a zone. */
const MARK = 5;
/** Of the track, in per cent: words nearer to an end than this are aligned with it. */
const EDGE = 12;

interface Clock {
  span: Span;
  nowMs: number;
  /** When a mail is chosen for people who wait for it. */
  heldMs: number | null;
}

/**
 * Zones as rows over one clock, in the order of their moments: a mark fills as its people are sent to, and the line of now moves.
 * A test has rows above them, with the moment at which the mail of the others is chosen.
 */
export function ZonePlan({ zones, test = null }: { zones: readonly PlannedZone[]; test?: PlannedTest | null }) {
  const isWhole = useSignal(false);
  const nowMs = useNow();
  // The zones that are due when the page is opened; nothing jumps while they are sent to.
  const begin = useRef(-1);
  const [first, last] = [zones[0], zones.at(-1)];
  if (!first || !last) return <p class="dim">Nobody gets it.</p>;
  if (begin.current < 0) begin.current = dueAt(zones, nowMs);
  const clock = { span: spanOf(zones, test), nowMs, heldMs: heldUntil(test, nowMs) };
  const shown = isWhole.value ? zones : zones.slice(begin.current, begin.current + SHOWN);
  return (
    <div class="zones">
      <p class="strong">
        {counted(zones.length, 'zone')}, from {weekday(first.at)} to {weekday(last.at)}{' '}
        <span class="sub small">in your time, {ownZone.replaceAll('_', ' ')}</span>
      </p>
      {first.sent !== undefined && <p data-testid="next-zone">{nextWords(zones, nowMs)}</p>}
      <Axis {...clock} />
      <ol>
        {test && <TestRows {...{ test, clock }} rest={zones.reduce((sum, { total }) => sum + total, 0)} />}
        {shown.map((zone) => (
          <ZoneRow key={`${zone.timezone} ${zone.isFallback}`} {...{ zone, clock }} />
        ))}
      </ol>
      {shown.length < zones.length && (
        <Button
          isSmall
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show all {counted(zones.length, 'zone')}
        </Button>
      )}
    </div>
  );
}

/** The first that is shown, with one before it whose time is over. */
function dueAt(zones: readonly PlannedZone[], nowMs: number): number {
  const next = zones.findIndex(({ at }) => Date.parse(at) > nowMs);
  return Math.max(0, Math.min(next < 0 ? zones.length : next - 1, zones.length - SHOWN));
}

function Axis({ span, nowMs }: Clock) {
  const now = placeOf(span, nowMs);
  const anchor = now < EDGE ? 'start' : now > 100 - EDGE ? 'end' : 'middle';
  return (
    <div class="axis">
      <svg aria-hidden="true">
        {ticksOf(span).map(({ ms, isNewDay }) => (
          <g key={ms}>
            <text class="hour" x={`${placeOf(span, ms)}%`} y="10">
              {hour(ms)}
            </text>
            {isNewDay && (
              <text class="hour" x={`${placeOf(span, ms)}%`} y="23">
                {dayOfWeek(ms)}
              </text>
            )}
          </g>
        ))}
        {isOn(now) && (
          <text class="hour now" x={`${now}%`} y="37" text-anchor={anchor}>
            now {hour(nowMs)}
          </text>
        )}
      </svg>
    </div>
  );
}

/** The people who get a mail first, and the moment at which that of the others is chosen. */
function TestRows({ test, clock, rest }: { test: PlannedTest; clock: Clock; rest: number }) {
  const { at, decideAt, winner } = test;
  const x = markAt(clock.span, Date.parse(at));
  const decided = clock.heldMs === null ? null : placeOf(clock.span, clock.heldMs);
  return (
    <>
      <Row name="Test" at={at} figures={<Figures {...test} />} clock={clock}>
        {decided !== null && decided > x && (
          <rect class="f-soft" x={`${x}%`} y="6" width={`${decided - x}%`} height="3" />
        )}
        <Mark x={x} {...test} />
      </Row>
      {decideAt && decided !== null && (
        <Row
          name={winner ? `Mail ${winner} was chosen` : 'A mail is chosen from'}
          at={decideAt}
          figures={`for ${people(rest)}`}
          clock={clock}
        >
          <svg x={`${decided}%`} class="chosen" aria-hidden="true">
            <path class={winner ? 'f-good' : 'f-idle'} d="M0 1.5l6 6-6 6-6-6z" />
          </svg>
        </Row>
      )}
    </>
  );
}

function ZoneRow({ zone, clock }: { zone: PlannedZone; clock: Clock }) {
  const { timezone, isFallback, at } = zone;
  const { span, heldMs, nowMs } = clock;
  const [own, held] = [Date.parse(at), heldMs ?? 0];
  const [x, due] = [markAt(span, Math.max(own, held)), placeOf(span, own)];
  const waits = held > own;
  const note = [isFallback && 'no zone of their own', waits && held >= nowMs && 'waits for the choice']
    .filter(Boolean)
    .join(', ');
  return (
    <Row
      name={
        <>
          {timezone.replaceAll('_', ' ')} {note && <span class="dim small">{note}</span>}
        </>
      }
      at={at}
      figures={<Figures {...zone} />}
      clock={clock}
    >
      {waits && <rect class="f-soft" x={`${due}%`} y="6" width={`${Math.max(0, x - due)}%`} height="3" />}
      <Mark x={x} {...zone} />
    </Row>
  );
}

function Row({
  name,
  at,
  figures,
  clock: { span, nowMs, heldMs },
  children,
}: {
  name: ComponentChildren;
  at: string;
  figures: ComponentChildren;
  clock: Clock;
  /** Drawn over the clock. */
  children: ComponentChildren;
}) {
  const now = placeOf(span, nowMs);
  return (
    <li>
      <span class="zone">{name}</span>
      <svg class="track" aria-hidden="true">
        <rect class="f-line" y="7" width="100%" height="1" />
        {heldMs !== null && <rect class="f-idle" x={`${placeOf(span, heldMs)}%`} width="1" height="100%" />}
        {children}
        {isOn(now) && <rect class="f-bad now" x={`${now}%`} width="1" height="100%" />}
      </svg>
      <span class="at">
        <Time at={at} words={hourOfDay(at)} />
      </span>
      <span class="num">{figures}</span>
    </li>
  );
}

function Mark({ x, total, sent = 0 }: { x: number; total: number; sent?: number }) {
  const done = total === 0 ? 0 : Math.min(1, sent / total);
  return (
    <>
      <rect class="f-soft" x={`${x}%`} y="3" width={`${MARK}%`} height="9" />
      <rect class="f-accent" x={`${x}%`} y="3" width={`${(MARK * done).toFixed(2)}%`} height="9" />
    </>
  );
}

function Figures({ total, sent }: { total: number; sent?: number }) {
  if (sent === undefined) return <>{people(total)}</>;
  return (
    <>
      <b>{count(sent)}</b> of {count(total)}
    </>
  );
}

/** A mark ends with the track. */
function markAt(span: Span, ms: number): number {
  return Math.min(100 - MARK, placeOf(span, ms));
}

function isOn(place: number): boolean {
  return place >= 0 && place <= 100;
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
