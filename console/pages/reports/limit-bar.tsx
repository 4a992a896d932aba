/** The limit is at two thirds of the bar, so that a rate above it is seen as one. */
const LIMIT_AT = 2 / 3;

/** A rate in percent with the marks of its limits. */
export function LimitBar({
  what,
  value,
  warning,
  limit,
}: {
  what: string;
  value: number;
  warning?: number;
  limit: number;
}) {
  const at = (rated: number) => `${(Math.min(1, (rated / limit) * LIMIT_AT) * 100).toFixed(1)}%`;
  const isWarning = warning !== undefined && value >= warning;
  const fill = value >= limit ? 'bad' : isWarning ? 'warn' : 'accent';
  const limits = `${warning === undefined ? '' : `warning at ${rate(warning)}, `}limit ${rate(limit)}`;
  return (
    <span class="limit">
      <span class="num">{rate(value)}</span>
      <svg class="bar big" role="img" aria-label={`${rate(value)} ${what}; ${limits}`}>
        <rect class={`f-${fill}`} width={at(value)} height="100%" />
        {warning !== undefined && <rect class="f-warn" x={at(warning)} width="2" height="100%" />}
        <rect class="mark" x={at(limit)} width="2" height="100%" />
      </svg>
    </span>
  );
}

/** '0.12 %' */
export function rate(percent: number): string {
  return `${+percent.toFixed(2)} %`;
}
