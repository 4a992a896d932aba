export { Download } from './downloads.ts';
export { type ApiErrorCode, type ClientErrorCode, type ErrorCode, EverpostError } from './errors.ts';
export { type EventQuery, Everpost, type EverpostOptions } from './everpost.ts';
export { Pages } from './pages.ts';
export type * from './resources.ts';
export type { Outcome, Safe } from './safe.ts';
export type { StreamOptions } from './streams.ts';
export type { CallOptions, PostOptions, Retry } from './transport.ts';
export type * from './types.ts';
export type { Uploadable } from './uploads.ts';
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
