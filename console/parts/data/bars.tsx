import { useId } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { count, percent } from './format.ts';

export type Fill = 'accent' | 'soft' | 'good' | 'warn' | 'bad' | 'idle' | 'line';

export interface Part {
  label: string;
  value: number;
  fill: Fill;
}

/** Parts of a whole in one bar, in SVG with sizes as attributes. `label` says it in words. */
export function Bar({
  label,
  parts,
  all,
  isBig,
}: {
  label?: string;
  parts: readonly Part[];
  all: number;
  isBig?: boolean;
}) {
  let from = 0;
  const rects = parts.map(({ label: name, value, fill }) => {
    const width = all > 0 ? (Math.max(0, value) / all) * 100 : 0;
    const x = from;
    from += width;
    return <rect key={name} class={`f-${fill}`} x={`${x.toFixed(3)}%`} width={`${width.toFixed(3)}%`} height="100%" />;
  });
  const classes = isBig ? 'bar big' : 'bar';
  return label ? (
    <svg class={classes} role="img" aria-label={label}>
      {rects}
    </svg>
  ) : (
    <svg class={classes} aria-hidden="true">
      {rects}
    </svg>
  );
}

/** A big bar that a screen reader hears as progress. `text` is the whole sentence: '61.0 per cent, 412 a second'. */
export function ProgressBar({
  label,
  parts,
  all,
  done,
  text,
}: {
  label: string;
  parts: readonly Part[];
  all: number;
  done: number;
  text: string;
}) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={all > 0 ? Math.round((done / all) * 100) : 0}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={text}
    >
      <Bar parts={parts} all={all} isBig />
    </div>
  );
}

/** The colours of a bar or plot in words and figures. */
export function Legend({
  items,
}: {
  items: readonly { label: string; value?: string | undefined; fill?: Fill | undefined }[];
}) {
  return (
    <p class="legend">
      {items.map(({ label, value, fill }) => (
        <span key={label}>
          {fill && (
            <svg aria-hidden="true">
              <rect class={`f-${fill}`} width="8" height="8" />
            </svg>
          )}
          {label}
          {value !== undefined && (
            <>
              {' '}
              <b>{value}</b>
            </>
          )}
        </span>
      ))}
    </p>
  );
}

export interface FunnelLine {
  label: string;
  value: number;
  /** Where these people are listed. */
  href?: string | undefined;
  fill?: Fill;
  /** The address of work for these people, behind an icon that `label` explains. */
  work?: { href: string; label: string } | null;
}

/** Each line is a part of the first one; the rate is of the line above, unless `of` says another. */
export function Funnel({ lines }: { lines: readonly (FunnelLine & { of?: number })[] }) {
  const all = lines[0]?.value ?? 0;
  return (
    <ol class="funnel">
      {lines.map(({ label, value, href, fill = 'accent', of, work }, index) => {
        const above = of ?? lines[index - 1]?.value;
        const width = all > 0 ? Math.min(100, (value / all) * 100) : 0;
        const inside = (
          <>
            <span>{label}</span>
            <svg aria-hidden="true">
              <rect class={`f-${fill}`} width={`${width.toFixed(2)}%`} height="100%" rx="2" />
            </svg>
            <span class="num strong">{count(value)}</span>
            <span class="rate">{above === undefined ? <span class="sr">start</span> : percent(value, above)}</span>
          </>
        );
        return (
          <li key={label}>
            {href ? (
              <a class="line" href={href}>
                {inside}
              </a>
            ) : (
              <span class="line">{inside}</span>
            )}
            {work && (
              <a class="work" href={work.href} title={work.label} aria-label={`${work.label}: ${label}`}>
                <Icon name="segment" />
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** A course without figures, next to one. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) => (high === low ? 22 : 22 - ((value - low) / (high - low)) * 20);
  const points = values.map(
    (value, index) => `${((index / (values.length - 1)) * 120).toFixed(1)} ${y(value).toFixed(1)}`,
  );
  return (
    <svg class="spark" viewBox="0 0 120 24" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}

export interface TileFacts {
  label: string;
  value: string;
  /** The whole that it is a part of, or since when. */
  of?: string | undefined;
  href?: string | undefined;
  course?: readonly number[] | undefined;
}

/** A strip of figures; each opens the people behind it. */
export function Tiles({ label, tiles }: { label: string; tiles: readonly TileFacts[] }) {
  const id = useId();
  return (
    <>
      <span id={id} class="sr">
        {label}
      </span>
      <ul class="tiles" aria-labelledby={id}>
        {tiles.map(({ label: name, value, of, href, course }) => {
          const inside = (
            <>
              <span class="sub small">{name}</span>
              <span class="value">{value}</span>
              <span class="of">{of ?? '\u00a0'}</span>
              {course && <Sparkline values={course} />}
            </>
          );
          return (
            <li key={name}>
              {href ? (
                <a class="tile" href={href}>
                  {inside}
                </a>
              ) : (
                <span class="tile">{inside}</span>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
