import type { Counts } from '../model.ts';
import { percentOf } from './rates.ts';

/** Google and Yahoo: complaints below 0.1 %, and never 0.3 %; receivers slow down senders with more than 2 % bounces. In percent. */
export const LIMITS = { complaintWarning: 0.1, complaintLimit: 0.3, bounceLimit: 2 } as const;
/** Of fewer mails one complaint says nothing. */
const JUDGED_FROM = 100;

/** few: not judged. */
export type Standing = 'few' | 'good' | 'warning' | 'over';

export interface Judged {
  sent: number;
  delivered: number;
  bounced: number;
  complained: number;
  bounceRate: number;
  complaintRate: number;
  status: Standing;
}

export function judge({ sent = 0, delivered = 0, bounced = 0, complained = 0 }: Counts): Judged {
  const [bounceRate, complaintRate] = [percentOf(bounced, sent), percentOf(complained, delivered)];
  const status = sent < JUDGED_FROM ? 'few' : statusOf(bounceRate, complaintRate);
  return { sent, delivered, bounced, complained, bounceRate, complaintRate, status };
}

function statusOf(bounceRate: number, complaintRate: number): Standing {
  if (complaintRate >= LIMITS.complaintLimit || bounceRate >= LIMITS.bounceLimit) return 'over';
  return complaintRate >= LIMITS.complaintWarning ? 'warning' : 'good';
}

const ORDER: readonly Standing[] = ['few', 'good', 'warning', 'over'];

export function worse(one: Standing, other: Standing): Standing {
  return ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
}

export function isBad(status: Standing): boolean {
  return status === 'warning' || status === 'over';
}
