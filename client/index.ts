export { Download } from './calls/downloads.ts';
export { Pages } from './calls/pages.ts';
export type { StreamOptions } from './calls/streams.ts';
export type { CallOptions, PostOptions, Retry } from './calls/transport.ts';
export type { Uploadable } from './calls/uploads.ts';
export { type ApiErrorCode, type ClientErrorCode, type ErrorCode, EverpostError } from './errors.ts';
export { type EventQuery, Everpost, type EverpostOptions } from './everpost.ts';
export type * from './resources.ts';
export type { Outcome, Safe } from './safe.ts';
export type * from './types.ts';
export type { WaitOptions } from './wait-until-sent.ts';
export {
  type VerifyOptions,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
  webhooks,
} from './webhooks.ts';

/** Of this package. */
export const version = '0.1.0';
