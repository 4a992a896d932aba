import type { Collection } from 'mongodb';
import type { ShareState } from '../../base/limits/budgets.ts';

/** The processes of the installation, as they report themselves. */

export interface ProcessRelay {
  /** The route: SMTP_URL or SMTP_TRANSACTIONAL_URL names it. */
  relay: 'default' | 'transactional';
  /** Host and port, without the password. */
  host: string;
  priority: number;
  weight: number;
  isAnswering: boolean;
  notAnsweringSince: Date | null;
  /** The relay's words, or what happened. */
  reason: string | null;
  connectionsOpen: number;
  /** Relays of one route share it. */
  connectionsMax: number;
  /** Mails that it took since the process started. */
  delivered: number;
}

/** Removed when its process stops, or a minute after its last report. `_id` is random for each start. */
export interface ProcessReport {
  _id: string;
  roles: string[];
  version: string;
  startedAt: Date;
  seenAt: Date;
  memoryBytes: number;
  /** Jobs that it runs now. */
  jobs: number;
  /** Messages that it has claimed, and outcomes that it has not written. */
  held: number;
  unwritten: number;
  relays: ProcessRelay[];
  /** Its shares of the budgets; a process of an earlier version names none. */
  budgets?: ShareState[];
}

declare module '../../base/collections.ts' {
  interface Collections {
    processes: Collection<ProcessReport>;
  }
}
