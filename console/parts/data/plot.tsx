import { effect } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { timezone as zoneOfBrowser } from '../../locale.ts';
import { isDark } from '../../theme.ts';
import { type Fill, Legend } from './bars.tsx';
import { count, dayWithoutYear, hour, moment } from './format.ts';

export interface PlotSeries {
  label: string;
  /** One for each time; null where nothing is known. */
  values: readonly (number | null)[];
  kind?: 'line' | 'area' | 'bars' | 'dashed';
  fill?: Fill;
  /** In place of the last value, next to the label. */
  figure?: string;
}

export interface PlotProps {
  /** One sentence that says what the plot shows; screen readers hear it. */
  label: string;
  /** Of the points, in ascending order: milliseconds. */
  times: readonly number[];
  series: readonly PlotSeries[];
  /** A line across: a rate that may not be passed. */
  limit?: number | undefined;
  /** The plot reaches this far, though there are no points yet. */
  until?: number | undefined;
  size?: 'low' | 'tall';
  /** How a value is written in the tooltip and the table. */
  format?: (value: number) => string;
  /** How a time is written there, as a date whose clock is that of the zone. */
  formatTime?: (at: Date) => string;
  /** Whose days and hours are shown. Left out: those of this browser. */
  timezone?: string | undefined;
  hasLegend?: boolean;
}

/** Seconds between labels: uPlot itself has no two and three minutes. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200].concat(
  [1, 2, 3, 7, 14, 30, 60, 90, 180, 365].map((days) => days * 86_400),
);

const HEIGHT = { low: 138, usual: 202, tall: 262 };
const TABLE_ROWS_MAX = 60;

/** Values over time, with its labels under their points, a tooltip, and the same figures as a table. */
export function Plot(props: PlotProps) {
  const { label, times, series, format = count, formatTime = moment, size, hasLegend, timezone } = props;
  const box = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ plot: uPlot; shape: string } | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const tableId = useId();
  const shape = JSON.stringify([series.map(({ label: name, kind, fill }) => [name, kind, fill]), size]);

  useEffect(() => {
    const target = box.current;
    if (!target) return;
    // Colours are read from the page, so a change of the theme draws the plot again.
    const stop = effect(() => {
      isDark.value;
      drawn.current?.plot.destroy();
      drawn.current = { plot: draw(target, tip, latest), shape };
    });
    const resized = new ResizeObserver(() =>
      drawn.current?.plot.setSize({ width: target.clientWidth, height: HEIGHT[size ?? 'usual'] }),
    );
    resized.observe(target);
    return () => {
      stop();
      resized.disconnect();
      drawn.current?.plot.destroy();
      drawn.current = null;
    };
  }, [shape]);

  const shown = useRef('');
  useEffect(() => {
    const data = dataOf(props);
    // Most live events bring the points that are drawn already.
    const points = JSON.stringify([data, props.limit]);
    if (points === shown.current) return;
    shown.current = points;
    drawn.current?.plot.setData(data);
  });

  const rows = tableRows(times.length);
  return (
    <div class="chart">
      {hasLegend && (
        <Legend
          items={series.map(({ label: name, fill = 'accent', figure, values }) => {
            const last = values.findLast((value) => value !== null);
            return { label: name, fill, value: figure ?? (last == null ? undefined : format(last)) };
          })}
        />
      )}
      <div class="chart-box">
        <div ref={box} class={`canvas ${size ?? ''}`} role="img" aria-label={label} aria-describedby={tableId} />
        <div ref={tip} class="tip" hidden />
      </div>
      <details class="chart-table">
        <summary class="small dim">As a table</summary>
        <div class="table-box">
          <table class="table" id={tableId}>
            <caption class="sr">{label}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label: name }) => (
                  <th key={name} scope="col" class="num">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((index) => (
                <tr key={times[index]}>
                  <th scope="row">{formatTime(clockIn(times[index] ?? 0, timezone))}</th>
                  {series.map(({ label: name, values }) => {
                    const value = values[index];
                    return (
                      <td key={name} class="num">
                        {value == null ? '–' : format(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  );
}

/** Evenly spread, the last one always among them. */
function tableRows(length: number): number[] {
  const step = Math.max(1, Math.ceil(length / TABLE_ROWS_MAX));
  return Array.from({ length }, (_, index) => index).filter((index) => (length - 1 - index) % step === 0);
}

function dataOf({ times, series, until }: PlotProps): uPlot.AlignedData {
  const seconds = times.map((at) => at / 1_000);
  const last = seconds.at(-1);
  const isLonger = until !== undefined && (last === undefined || until / 1_000 > last);
  const x = isLonger ? [...seconds, until / 1_000] : seconds;
  return [x, ...series.map(({ values }) => (isLonger ? [...values, null] : [...values]))] as uPlot.AlignedData;
}

const colourNames = [
  'accent',
  'soft',
  'good',
  'warn',
  'bad',
  'idle',
  'line',
  'text',
  'base',
  'under',
  'surface',
] as const;
type Colours = Record<(typeof colourNames)[number], string>;

/** A canvas needs the colours of the tokens as they are in this theme. */
function coloursOf(element: HTMLElement): Colours {
  const probe = element.appendChild(document.createElement('span'));
  const found = colourNames.map((name) => {
    probe.className = `ink-${name}`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(found);
}

type Latest = { current: PlotProps };

function draw(target: HTMLElement, tip: { current: HTMLElement | null }, latest: Latest): uPlot {
  const { series, size } = latest.current;
  const colours = coloursOf(target);
  const font = `11px ${getComputedStyle(target).fontFamily}`;
  const axis = {
    font,
    stroke: colours.text,
    ticks: { show: false },
    border: { show: false },
  } satisfies uPlot.Axis;
  return new uPlot(
    {
      width: target.clientWidth || 600,
      height: HEIGHT[size ?? 'usual'],
      // On the right half of a label with seconds has room.
      padding: [8, 26, 0, 0],
      tzDate: (at) => clockIn(at * 1_000, latest.current.timezone),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { range: (_, first, last) => xRange(first, last, latest.current) },
        y: { range: (_, __, highest) => yRange(Math.max(highest ?? 0, latest.current.limit ?? 0)) },
      },
      axes: [
        {
          ...{ ...axis, size: 26, gap: 8, space: 64, incrs: STEPS, grid: { show: false } },
          values: (_, splits) => timeLabels(splits, latest.current.timezone),
        },
        {
          ...axis,
          size: (_, values) => 12 + Math.max(18, ...(values ?? []).map((text) => String(text ?? '').length * 6.6)),
          gap: 8,
          space: 44,
          grid: { stroke: colours.line, width: 1 },
          values: (_, splits) => splits.map(short),
        },
      ],
      series: [{}, ...series.map((one) => seriesOf(one, colours))],
      hooks: {
        drawAxes: [(plot) => drawBase(plot, colours.base)],
        draw: [(plot) => drawLimit(plot, colours.text, latest.current.limit), (plot) => drawNow(plot, colours, latest)],
        setCursor: [(plot) => showTip(plot, tip.current, latest)],
      },
    },
    dataOf(latest.current),
    target,
  );
}

function seriesOf({ label, kind = 'line', fill = 'accent' }: PlotSeries, colours: Colours): uPlot.Series {
  const stroke = colours[fill];
  const shared = { label, stroke, points: { show: false }, spanGaps: false };
  switch (kind) {
    case 'area':
      return { ...shared, width: 1.75, fill: colours.under };
    case 'bars':
      return {
        ...shared,
        width: 0,
        fill: stroke,
        ...(uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.72, 56] }) } : {}),
      };
    case 'dashed':
      return { ...shared, width: 1.5, dash: [3, 4] };
    case 'line':
      return { ...shared, width: fill === 'accent' ? 1.75 : 1.5 };
  }
}

/** Bars are as wide as their time, half of it on each side. */
function xRange(first: number | null, last: number | null, { series, times }: PlotProps): [number, number] {
  const [from, to] = [first ?? 0, last ?? 1];
  const step = times.length > 1 ? ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1) / 1_000 : 3_600;
  const half = series.some(({ kind }) => kind === 'bars') ? step / 2 : 0;
  return from === to && half === 0 ? [from - step, to + step] : [from - half, to + half];
}

/** From zero to a round number above the highest value. */
function yRange(highest: number): [number, number] {
  if (!(highest > 0)) return [0, 1];
  const step = 10 ** Math.floor(Math.log10(highest));
  const top = [1, 1.5, 2, 3, 4, 6, 8, 10].find((factor) => factor * step >= highest * 1.04) ?? 12;
  return [0, top * step];
}

/** 60,000 as '60k': the axis has little room. */
function short(value: number | null): string {
  if (value === null) return '';
  if (Math.abs(value) >= 1_000_000) return `${+(value / 1_000_000).toFixed(1)}M`;
  if (Math.abs(value) >= 10_000) return `${+(value / 1_000).toFixed(1)}k`;
  return Number.isInteger(value) ? count(value) : String(+value.toFixed(2));
}

/** In another zone a date of this browser with the clock of that zone: days and hours are written from it, and nothing else. */
function clockIn(at: number, zone = zoneOfBrowser): Date {
  return uPlot.tzDate(new Date(at), zone);
}

/** By the clock within two days, else by the day. */
function timeLabels(splits: number[], zone: string | undefined): string[] {
  const dates = splits.map((at) => clockIn(at * 1_000, zone));
  const [first = 0, last = 0] = [splits[0], splits.at(-1)];
  const step = (splits[1] ?? 0) - first;
  if (step > 0 && step < 60) return dates.map((date) => date.toTimeString().slice(0, 8));
  if (step > 0 && step < 86_400 && last - first < 2 * 86_400) return dates.map(hour);
  return dates.map((date, index) => {
    const isNewDay = date.getHours() === 0 && date.getMinutes() === 0;
    return isNewDay || index === 0 || step >= 86_400 ? dayWithoutYear(date) : hour(date);
  });
}

function line(plot: uPlot, y: number, stroke: string, dash: number[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((part) => part * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function drawBase(plot: uPlot, stroke: string): void {
  line(plot, plot.bbox.top + plot.bbox.height, stroke, []);
}

function drawLimit(plot: uPlot, stroke: string, limit: number | undefined): void {
  if (limit !== undefined) line(plot, plot.valToPos(limit, 'y', true), stroke, [3, 4]);
}

/** A dot where each line ends now. */
function drawNow(plot: uPlot, colours: Colours, latest: Latest): void {
  const { ctx } = plot;
  for (const [index, { kind, fill = 'accent' }] of latest.current.series.entries()) {
    const values = plot.data[index + 1] ?? [];
    const at = values.findLastIndex((value) => value !== null && value !== undefined);
    if (at < 0 || kind === 'bars' || kind === 'dashed') continue;
    const x = plot.valToPos(plot.data[0][at] ?? 0, 'x', true);
    const y = plot.valToPos(values[at] ?? 0, 'y', true);
    ctx.save();
    for (const [radius, colour] of [
      [6.5, colours.surface],
      [4, colours[fill]],
    ] as const) {
      ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.arc(x, y, radius * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  }
}

function showTip(plot: uPlot, tip: HTMLElement | null, latest: Latest): void {
  if (!tip) return;
  const { times, series, format = count, formatTime = moment, timezone } = latest.current;
  const { idx, left = -1 } = plot.cursor;
  const at = idx === null || idx === undefined ? undefined : times[idx];
  if (at === undefined || idx == null || left < 0) {
    tip.hidden = true;
    return;
  }
  const lines = series.map(({ label, values }) => {
    const value = values[idx];
    return `${label} ${value == null ? '–' : format(value)}`;
  });
  tip.hidden = false;
  tip.textContent = [formatTime(clockIn(at, timezone)), ...lines].join('\n');
  const x = plot.valToPos(at / 1_000, 'x') + plot.over.offsetLeft;
  const isRight = x > plot.width / 2;
  tip.style.setProperty('left', `${isRight ? x - tip.offsetWidth - 12 : x + 12}px`);
}
