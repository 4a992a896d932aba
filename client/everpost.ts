import { callOf } from './calls/calls.ts';
import { headerText } from './calls/requests.ts';
import type { StreamOptions } from './calls/streams.ts';
import type { Retry, Settings } from './calls/transport.ts';
import { EverpostError } from './errors.ts';
import { type Operation, operations } from './operations.ts';
import type { Resources } from './resources.ts';
import { type Safe, safely } from './safe.ts';
import type { CampaignProgress, StreamEvent } from './types.ts';
import { type WaitOptions, waitUntilSent } from './wait-until-sent.ts';
import { webhooks } from './webhooks.ts';

export interface EverpostOptions {
  /**
   * AS_... of a project, or ASA_... of the organization; EVERPOST_API_KEY when left out. null: no key is sent, for a page that is signed
   * in by a cookie.
   */
  apiKey?: string | null;
  /** Where the API is, for example https://mail.example.com; EVERPOST_BASE_URL when left out. */
  baseUrl?: string;
  /** With an admin key: the project that the calls are about. */
  projectId?: string;
  /** Of one try, until its answer is there; 40 seconds, since pausing a campaign may take 30. */
  timeoutMs?: number;
  /** Tries of one call begin for so long; 60 seconds. 0: one try. */
  retryForMs?: number;
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch;
  /** Called before each repeat. */
  onRetry?: (retry: Retry) => void;
}

export interface EventQuery {
  /** Only these; a name may end in * (email.*). */
  types?: readonly string[] | string;
  /** The id of the last event that was seen: those after it come first. */
  after?: string;
  /** IANA name: whose day is today in project.summary. */
  timezone?: string;
}

type Calls = Omit<Resources, 'stream'>;

/** The client of an Everpost API: `everpost.<resource>.<verb>(ids, body or query, options)`. */
export interface Everpost extends Omit<Calls, 'campaigns' | 'webhooks'> {
  readonly campaigns: Resources['campaigns'] & {
    /** Resolves with the last progress when every mail has its outcome; fails when the campaign failed or was aborted. */
    waitUntilSent(campaignId: string, options?: WaitOptions): Promise<CampaignProgress>;
  };
  /** `verify` checks a delivery; it needs no key, and is exported as `webhooks.verify` too. */
  readonly webhooks: Resources['webhooks'] & typeof webhooks;
  /** The same calls, which do not throw: they resolve with `{ data, error }`. */
  readonly safe: Safe<Calls>;
  /** Every event of the project as it happens. */
  stream(query?: EventQuery, options?: StreamOptions): AsyncGenerator<StreamEvent, void>;
}

const TIMEOUT_MS = 40_000;
const RETRY_FOR_MS = 60_000;

export const Everpost = class Everpost {
  constructor(options: EverpostOptions = {}) {
    const settings = settingsOf(options);
    const { stream, ...resources } = resourcesOf(settings);
    const { campaigns } = resources as unknown as Resources;
    Object.assign(this, resources, {
      campaigns: { ...campaigns, waitUntilSent: waitUntilSent(campaigns.watch) },
      webhooks: { ...resources.webhooks, ...webhooks },
      safe: safely(resources),
      stream: (query: EventQuery = {}, more?: StreamOptions) => stream?.open?.(query, more),
    });
  }
} as new (
  options?: EverpostOptions,
) => Everpost;

type Methods = Record<string, (...args: unknown[]) => unknown>;

function resourcesOf(settings: Settings): Record<string, Methods> {
  const methodsOf = (resource: string, verbs: Record<string, Operation>) =>
    Object.entries(verbs).map(([verb, one]) => [verb, callOf(settings, `${resource}.${verb}`, one)]);
  return Object.fromEntries(
    Object.entries(operations).map(([resource, verbs]) => [resource, Object.fromEntries(methodsOf(resource, verbs))]),
  );
}

/** Throws when there is no key or no address. */
export function settingsOf(options: EverpostOptions): Settings {
  const apiKey = options.apiKey === undefined ? fromEnvironment('EVERPOST_API_KEY') : options.apiKey;
  const baseUrl = options.baseUrl ?? fromEnvironment('EVERPOST_BASE_URL');
  if (apiKey === undefined || apiKey === '') throw misused('Give apiKey, or set EVERPOST_API_KEY.');
  if (!baseUrl || !URL.canParse(baseUrl))
    throw misused('Give the address of the API as baseUrl, or set EVERPOST_BASE_URL.');
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) throw misused('The API key has characters that no key has.');
  const { projectId } = options;
  return {
    // A method of an object that is called without it fails at the edge.
    fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
    baseUrl: baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''),
    headers: {
      Accept: 'application/json, */*',
      ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      ...(projectId === undefined ? {} : { 'x-project-id': headerText('projectId', projectId) }),
    },
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retryForMs: options.retryForMs ?? RETRY_FOR_MS,
    onRetry: options.onRetry,
  };
}

function misused(message: string): EverpostError {
  return new EverpostError(message, { code: 'VALIDATION_ERROR' });
}

/** Where there is an environment, and where it may be read. */
function fromEnvironment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}
