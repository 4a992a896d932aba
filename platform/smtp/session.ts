import type { Delivery } from '../../core/mail/ledger/relay.ts';
import type { Capabilities, Timeouts } from './handshake.ts';
import type { Job, Stage } from './job.ts';
import type { Wire } from './wire.ts';

/** The state that the steps of a transaction share. */
export interface Session {
  readonly wire: Wire;
  readonly capabilities: Capabilities;
  readonly timeouts: Timeouts;
  /** The next reply is for the first one. */
  readonly jobs: Job[];
  /** Messages whose envelope was begun. */
  started: number;
  /** MAIL was accepted and the transaction has no end yet, so the next message begins with RSET. */
  transactionOpen: boolean;
  finish(job: Job, outcome: Delivery, then?: 'keep' | 'drop'): void;
}

/** With PIPELINING the command is already sent; without, it is sent now. */
export function proceed(session: Session, job: Job, stage: Stage, command: string): void {
  const { wire, capabilities, timeouts } = session;
  if (capabilities.pipelining) {
    job.stage = stage;
    return;
  }
  if (wire.saidMore) {
    endUnasked(session);
    return;
  }
  job.stage = stage;
  wire.waitAtMost(timeouts.commandMs);
  wire.write(command);
}

/** Any further reply would be taken for the answer to a command that the relay has not had: in the end to the dot. */
export function endUnasked({ wire }: Session): void {
  wire.end('protocol', 'The relay answered what it was not asked.');
}
