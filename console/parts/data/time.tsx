import { type At, exactly, moment } from './format.ts';

/** A time with all of it in its tooltip; a dash where there is none. */
export function Time({
  at,
  none = '–',
  words,
}: {
  at: At | null | undefined;
  none?: string;
  words?: string | undefined;
}) {
  if (at === null || at === undefined) return <span class="dim">{none}</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exactly(date)}>
      {words ?? moment(date)}
    </time>
  );
}
