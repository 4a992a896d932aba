import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Everpost, EverpostError, type LiveCampaignProgress, type StreamEvent } from '../client/index.ts';
import { apiLost, fetchWithSession, sessionEnded } from './api.ts';
import { timezone } from './locale.ts';

/** An event of the stream, as the interface documents it for each type. */
export type LiveEvent<Type = LiveType> = Extract<StreamEvent, { type: Type }>;
export type LiveType = StreamEvent['type'];

/**
 * idle: no page asks for events. connected: they come as they happen. slow: the connection is open and has been silent for too
 * long. lost: it is being opened again.
 */
export type LiveState = 'idle' | 'connected' | 'slow' | 'lost';

export const liveState = signal<LiveState>('idle');

/** Heartbeats come every fifteen seconds. */
const SILENT_MS_MAX = 25_000;
/** A server that is replaced is gone for a moment, which is no news. */
const LOST_AFTER_MS = 1_500;
/** Parts of a page subscribe one after the other. */
const SETTLE_MS = 80;
const AGAIN_MS = 2_000;
/** While a tab is hidden it draws nothing. */
const HIDDEN_FLUSH_MS = 500;
/** Above it only the newest aggregate of each kind is kept. */
const QUEUE_MAX = 500;
const SEEN_MAX = 2_000;

interface Subscription {
  types: readonly LiveType[];
  handler: (event: LiveEvent) => void;
  onCovered: (() => unknown) | undefined;
  isCovered: Signal<boolean>;
}

type Message =
  | { kind: 'wants'; tab: string; types: LiveType[] }
  | { kind: 'gone'; tab: string }
  | { kind: 'joined' }
  | { kind: 'event'; event: LiveEvent }
  | { kind: 'open'; types: LiveType[]; isAfterGap: boolean }
  | { kind: 'state'; state: LiveState };

const subscriptions = new Set<Subscription>();
let connection: Connection | null = null;

/**
 * Calls `handler` for the events of these types, at most once a frame for all that have come. Events of a type are kept by the API from
 * the moment at which a stream names it: `onCovered` is called then, to load again what was loaded before.
 */
export function subscribe<T extends LiveType>(
  types: readonly T[],
  handler: (event: LiveEvent<T>) => void,
  onCovered?: () => unknown,
): { isCovered: ReadonlySignal<boolean>; stop: () => void } {
  const isCovered = signal(connection?.covers(types) ?? false);
  const one = { types, handler: handler as Subscription['handler'], onCovered, isCovered };
  subscriptions.add(one);
  connection?.announce();
  const stop = () => {
    subscriptions.delete(one);
    connection?.announce();
  };
  return { isCovered, stop };
}

/** The data of the newest event about the figures of a campaign; an answer of the interface may be older. */
export function newestProgress(campaignId: string): LiveCampaignProgress | null {
  const event = connection?.newest.get(`campaign.progress ${campaignId}`);
  return (event?.data as LiveCampaignProgress | undefined) ?? null;
}

/**
 * The same for a component, from its first drawing to its last: `useLive(['domain.checked'], show, domains.reload)`. `types` must not
 * change.
 */
export function useLive<T extends LiveType>(
  types: readonly T[],
  handler: (event: LiveEvent<T>) => void,
  onCovered?: () => unknown,
): void {
  const latest = useRef({ handler, onCovered });
  latest.current = { handler, onCovered };
  useEffect(
    () =>
      subscribe(
        types,
        (event) => latest.current.handler(event),
        () => latest.current.onCovered?.(),
      ).stop,
    [],
  );
}

/** One stream for all tabs of this browser with the same tenant; null closes it. */
export function connectLive(tenant: string | null): void {
  if (connection?.tenant === tenant) return;
  connection?.close();
  for (const { isCovered } of subscriptions) isCovered.value = false;
  connection = tenant === null ? null : new Connection(tenant);
}

/**
 * One tab leads: it holds the lock of the tenant, has the stream open, and passes each event to the others. When it is closed the
 * next tab gets the lock and opens the stream after the last event that it heard of.
 */
class Connection {
  readonly tenant: string;
  /** By subject, of the types that are covered. */
  readonly newest = new Map<string, LiveEvent>();
  readonly #tab = Math.random().toString(36).slice(2);
  readonly #channel: BroadcastChannel;
  readonly #closed = new AbortController();
  /** Types by tab, kept by the leader. */
  readonly #wants = new Map<string, LiveType[]>();
  /** Types whose events come, or will come when the stream is open again. */
  #covered: ReadonlySet<LiveType> = new Set();
  #queue: LiveEvent[] = [];
  #flushPlanned = false;
  #lastId: string | undefined;
  readonly #seen = new Set<string>();
  #stream: Stream | null = null;
  #isLeader = false;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(tenant: string) {
    this.tenant = tenant;
    this.#channel = new BroadcastChannel(`everpost-live-${tenant}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
    addEventListener('pagehide', () => this.#post({ kind: 'gone', tab: this.#tab }), { signal: this.#closed.signal });
    this.#post({ kind: 'joined' });
    this.announce();
    void this.#lead();
  }

  close(): void {
    this.#post({ kind: 'gone', tab: this.#tab });
    this.#closed.abort();
    this.#stream?.close();
    this.#channel.close();
    clearTimeout(this.#settling);
    liveState.value = 'idle';
  }

  covers(types: readonly LiveType[]): boolean {
    return types.every((type) => this.#covered.has(type));
  }

  announce(): void {
    const types = [...new Set([...subscriptions].flatMap((one) => one.types))];
    const message = { kind: 'wants', tab: this.#tab, types } as const;
    this.#post(message);
    this.#hear(message);
  }

  #post(message: Message): void {
    if (!this.#closed.signal.aborted) this.#channel.postMessage(message);
  }

  #hear(message: Message): void {
    switch (message.kind) {
      case 'wants':
        this.#wants.set(message.tab, message.types);
        if (this.#isLeader) this.#settle();
        return;
      case 'gone':
        this.#wants.delete(message.tab);
        return;
      case 'joined':
        this.announce();
        if (!this.#isLeader) return;
        this.#post({ kind: 'open', types: [...this.#covered], isAfterGap: false });
        for (const event of this.newest.values()) this.#post({ kind: 'event', event });
        this.#post({ kind: 'state', state: liveState.peek() });
        return;
      case 'open':
        this.#cover(message.types, message.isAfterGap);
        return;
      case 'event':
        this.#take(message.event);
        return;
      case 'state':
        if (!this.#isLeader) liveState.value = message.state;
    }
  }

  /** Resolves when this tab is closed, which gives the lock to the next. Pages without https have no locks: each tab leads itself. */
  async #lead(): Promise<void> {
    const lead = () =>
      new Promise<void>((resolve) => {
        this.#isLeader = true;
        this.#closed.signal.addEventListener('abort', () => resolve());
        this.#post({ kind: 'joined' });
        this.#settle();
      });
    if (!('locks' in navigator)) return lead();
    const { signal } = this.#closed;
    await navigator.locks.request(`everpost-live-${this.tenant}`, { signal }, lead).catch(() => undefined);
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#open(), SETTLE_MS);
  }

  /** The new stream is open before the old one is closed, so nothing is lost between them. Fewer types are no reason for a new one. */
  #open(): void {
    const types = [...new Set([...this.#wants.values()].flat())].sort();
    if (this.#closed.signal.aborted || types.length === 0) return;
    if (this.#stream && types.every((type) => this.#stream?.types.has(type))) return;
    const before = this.#stream;
    // The tab that led is gone, and no event has said where its stream was.
    let isAfterGap = before === null && this.#lastId === undefined;
    this.#stream = new Stream(types, {
      lastId: () => this.#lastId,
      onOpen: () => {
        before?.close();
        this.#post({ kind: 'open', types, isAfterGap });
        this.#cover(types, isAfterGap);
        isAfterGap = false;
      },
      onState: (state) => this.#setState(state),
      onEvent: (event) => {
        this.#post({ kind: 'event', event });
        this.#take(event);
      },
    });
  }

  #cover(types: readonly LiveType[], isAfterGap: boolean): void {
    this.#covered = new Set(types);
    for (const [subject, { type }] of this.newest) if (!this.#covered.has(type)) this.newest.delete(subject);
    for (const { types: wanted, isCovered, onCovered } of subscriptions) {
      const wasCovered = isCovered.peek() && !isAfterGap;
      isCovered.value = this.covers(wanted);
      if (wasCovered || !isCovered.peek()) continue;
      onCovered?.();
    }
  }

  #setState(state: LiveState): void {
    if (this.#closed.signal.aborted) return;
    liveState.value = state;
    this.#post({ kind: 'state', state });
  }

  #take(event: LiveEvent): void {
    if (event.id !== undefined) {
      if (this.#seen.has(event.id)) return;
      this.#seen.add(event.id);
      const [oldest] = this.#seen;
      if (this.#seen.size > SEEN_MAX && oldest !== undefined) this.#seen.delete(oldest);
      this.#lastId = event.id;
    }
    const subject = subjectOf(event);
    if (subject !== null) this.newest.set(subject, event);
    this.#queue.push(event);
    if (this.#queue.length > QUEUE_MAX) this.#queue = newestOfEach(this.#queue).slice(-QUEUE_MAX);
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    const flush = () => this.#flush();
    if (document.visibilityState === 'hidden') setTimeout(flush, HIDDEN_FLUSH_MS);
    else requestAnimationFrame(flush);
  }

  #flush(): void {
    this.#flushPlanned = false;
    const events = this.#queue;
    this.#queue = [];
    batch(() => {
      for (const event of events)
        for (const { types, handler } of [...subscriptions]) if (types.includes(event.type)) handler(event);
    });
  }
}

/** Aggregates replace the one before; all others are kept. */
function newestOfEach(events: readonly LiveEvent[]): LiveEvent[] {
  const subjects = events.map((event, index) => subjectOf(event) ?? String(index));
  return events.filter((_, index) => subjects.lastIndexOf(subjects[index] as string) === index);
}

/** null: it is no aggregate. */
function subjectOf({ type, data }: LiveEvent): string | null {
  const { campaignId, id } = data as { campaignId?: string; id?: string };
  return /\.(progress|summary)$/.test(type) ? `${type} ${campaignId ?? id ?? ''}` : null;
}

interface StreamPorts {
  lastId: () => string | undefined;
  onOpen: () => void;
  onState: (state: LiveState) => void;
  onEvent: (event: LiveEvent) => void;
}

/** The open stream with its types; opened again for as long as it is wanted. */
class Stream {
  readonly types: ReadonlySet<string>;
  readonly #ports: StreamPorts;
  readonly #closed = new AbortController();
  #silence: ReturnType<typeof setTimeout> | undefined;
  #loss: ReturnType<typeof setTimeout> | undefined;

  constructor(types: readonly string[], ports: StreamPorts) {
    this.types = new Set(types);
    this.#ports = ports;
    void this.#run();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#silence);
    clearTimeout(this.#loss);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    const everpost = new Everpost({
      apiKey: null,
      baseUrl: location.origin,
      retryForMs: AGAIN_MS,
      fetch: async (input, init) => this.#watched(await fetchWithSession(input, init)),
      onRetry: ({ error }) => this.#noteCut(error),
    });
    while (!signal.aborted) {
      try {
        const after = this.#ports.lastId();
        const query = { types: [...this.types], timezone, ...(after === undefined ? {} : { after }) };
        for await (const event of everpost.stream(query, { signal, onOpen: () => this.#noteOpen() }))
          this.#ports.onEvent(event);
      } catch (error) {
        if (signal.aborted) return;
        if (isOver(error)) return this.#end(error);
        this.#noteCut(error);
      }
      await untilFound(signal);
    }
  }

  /** Every piece that arrives, heartbeats too, shows that the connection lives. */
  #watched(response: Response): Response {
    if (!response.ok || !response.body) return response;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#noteLife();
        controller.enqueue(chunk);
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(watch), { status, headers });
  }

  #noteOpen(): void {
    clearTimeout(this.#loss);
    this.#loss = undefined;
    this.#ports.onOpen();
    this.#noteLife();
    this.#ports.onState('connected');
  }

  #noteLife(): void {
    clearTimeout(this.#silence);
    if (liveState.peek() === 'slow') this.#ports.onState('connected');
    this.#silence = setTimeout(() => this.#ports.onState('slow'), SILENT_MS_MAX);
  }

  #noteCut(error: unknown): void {
    clearTimeout(this.#silence);
    if (error instanceof EverpostError && error.details === 'too_far_behind') this.#ports.onState('slow');
    this.#loss ??= setTimeout(() => this.#ports.onState('lost'), LOST_AFTER_MS);
  }

  #end(error: unknown): void {
    this.close();
    this.#ports.onState('idle');
    if (!(error instanceof EverpostError) || error.details !== 'project_deleted') sessionEnded.value = true;
  }
}

/** The session, the member or the project is gone: another try would get the same answer. */
function isOver(error: unknown): boolean {
  return error instanceof EverpostError && (error.code === 'STREAM_CLOSED' || error.status === 401);
}

/** After a while, and at once when the API is found again. */
function untilFound(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, AGAIN_MS);
    const wasLost = apiLost.peek();
    const stop = effect(() => {
      if (wasLost && !apiLost.value) queueMicrotask(end);
    });
    signal.addEventListener('abort', end, { once: true });
  });
}
