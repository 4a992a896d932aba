import { effect, signal } from '@preact/signals';
import { Everpost, EverpostError } from '../client/index.ts';

/** The tenant that calls are about, as headers; empty until the session is known. */
export const tenantHeaders = signal<Record<string, string>>({});

/** The session was there and the API no longer knows it. */
export const sessionEnded = signal(false);

/** The last call found no API, so no figure on the screen can be trusted to be new. */
export const apiLost = signal(false);

/** Grows each time that the API is found again: failed loads begin again. */
export const apiFoundCount = signal(0);

/** Calls without an answer yet, the stream not among them. */
export const callsOpen = signal(0);

const TIMEOUT_MS = 40_000;
/** A person waits for the answer, and may press the button again. */
const RETRY_FOR_MS = 3_000;
const PROBE_MS_MIN = 1_000;
const PROBE_MS_MAX = 5_000;

/** The REST interface with the session of this browser. */
export const api = new Everpost({
  apiKey: null,
  baseUrl: location.origin,
  timeoutMs: TIMEOUT_MS,
  retryForMs: RETRY_FOR_MS,
  fetch: async (...call) => {
    callsOpen.value += 1;
    try {
      return await fetchWithSession(...call);
    } finally {
      callsOpen.value -= 1;
    }
  },
});

/** For what the client cannot do: answers that are no part of the interface's operations, such as a preview in a frame. */
export async function fetchWithSession(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-Everpost-Console', '1');
  for (const [name, value] of Object.entries(tenantHeaders.peek())) if (!headers.has(name)) headers.set(name, value);
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    if (!isAborted(init.signal)) apiLost.value = true;
    throw error;
  });
  if (response.status === 502 || response.status === 504) apiLost.value = true;
  else noteFound();
  if (response.status === 401 && Object.keys(tenantHeaders.peek()).length > 0) sessionEnded.value = true;
  return response;
}

/** A call that the page itself gave up says nothing about the API; one that ran out of time does. */
function isAborted(signal: AbortSignal | null | undefined): boolean {
  return signal?.aborted === true && (signal.reason as { name?: string } | undefined)?.name !== 'TimeoutError';
}

/** A script of the console that is loaded where it is used. While the server is away it fails as a call does. */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  return load().catch(async (cause: unknown) => {
    const answer = await fetch('/health/live').catch(() => null);
    if (answer?.ok) return loadAgain<T>(cause);
    apiLost.value = true;
    throw new EverpostError('The script could not be loaded.', { code: 'NETWORK', cause });
  });
}

/** Browsers remember that an address could not be loaded, as long as the page is open: it is asked for by another one. */
async function loadAgain<T>(cause: unknown): Promise<T> {
  const [address] = /https?:\/\/\S+\.js/.exec(String(cause)) ?? [];
  if (!address?.startsWith(`${location.origin}/console/`)) throw cause;
  const found: T = await import(`${address}?again=${Date.now()}`).catch((again: unknown) => {
    // One of the scripts that it imports was cut off, and those keep their addresses.
    const message = 'A part of the console did not arrive. Reload the page; what you typed is kept in this browser.';
    throw new EverpostError(message, { code: 'NETWORK', cause: again });
  });
  return found;
}

function noteFound(): void {
  if (!apiLost.peek()) return;
  apiLost.value = false;
  apiFoundCount.value += 1;
}

effect(() => {
  if (!apiLost.value) return;
  let delayMs = PROBE_MS_MIN;
  let timer = setTimeout(probe, delayMs);
  async function probe(): Promise<void> {
    const answer = await fetch('/health/live').catch(() => null);
    if (answer?.ok) return noteFound();
    delayMs = Math.min(PROBE_MS_MAX, delayMs * 1.5);
    if (apiLost.peek()) timer = setTimeout(probe, delayMs);
  }
  return () => clearTimeout(timer);
});
