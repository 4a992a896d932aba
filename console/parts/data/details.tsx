import type { ComponentChildren } from 'preact';
import { Copy } from '../forms/copy.tsx';
import type { At } from './format.ts';
import type { Tone } from './state.tsx';
import { Time } from './time.tsx';

/** Names and values. `isNum` puts figures at the right end. */
export function Pairs({ pairs, isNum }: { pairs: readonly (readonly [string, ComponentChildren])[]; isNum?: boolean }) {
  return (
    <dl class="pairs">
      {pairs.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd class={isNum ? 'num' : undefined}>{isEmpty(value) ? <span class="dim">none</span> : value}</dd>
        </>
      ))}
    </dl>
  );
}

function isEmpty(value: ComponentChildren): boolean {
  return value === null || value === undefined || value === '' || value === false;
}

/** A text of a machine, with a button that copies it: an id, a record, a secret. `what` names it: 'the record'. */
export function Mono({ text, what }: { text: string; what: string }) {
  return (
    <span class="row">
      <span class="mono cut" title={text}>
        {text}
      </span>
      <Copy text={text} what={what} />
    </span>
  );
}

/** Several lines of a machine: a relay's words, JSON, headers. It scrolls by itself. */
export function Code({ text, label, what }: { text: string; label: string; what?: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      {what && <Copy text={text} what={what} />}
    </div>
  );
}

export interface Happened {
  key: string;
  title: ComponentChildren;
  under?: ComponentChildren;
  at: At | null;
  /** The words for `at`, when those of all times do not do. */
  when?: string;
  tone?: Tone | undefined;
  /** Below, in the whole width. */
  more?: ComponentChildren;
}

/** Events in the order in which they are given. */
export function Timeline({ entries }: { entries: readonly Happened[] }) {
  return (
    <ol class="timeline">
      {entries.map(({ key, title, under, at, when, tone, more }) => (
        <li key={key} class={tone}>
          <div>
            <p>{title}</p>
            {under && <p class="dim small">{under}</p>}
          </div>
          {at !== null && <Time at={at} words={when} />}
          {more && <div class="more stack tight">{more}</div>}
        </li>
      ))}
    </ol>
  );
}
