import type { ComponentChildren } from 'preact';

/** good, bad, warn: an outcome. live: it moves now. open: it waits. idle: it went as planned, or is over. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'live' | 'open' | 'idle';

/** A dot and a word, in rows and running text. */
export function State({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`st ${tone}`}>{children}</span>;
}

/** The same on a soft ground: only in the head of a page, and for chips of a person. */
export function Badge({ tone = 'idle', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{tone === 'live' ? <State tone="live">{children}</State> : children}</span>;
}
