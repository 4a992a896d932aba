import type { MailDeps } from '../deps.ts';
import { type Ledger, openLedger } from '../ledger/ledger.ts';
import type { Ended } from '../ledger/outcomes.ts';
import { noteOutcomes } from '../ledger/rates/note.ts';
import { OutcomeWriter } from '../ledger/record-outcomes.ts';
import type { SendingDeps } from '../ledger/relay.ts';
import { startRenewing } from '../ledger/renew.ts';
import { withDotJournal } from '../ledger/with-dot-journal.ts';
import { outcomeEffects } from '../messages/after-outcomes.ts';
import { type ComposingMemory, openComposingMemory } from './stored/compose-memory.ts';

/** A range that this process sends: all of them share its connections. */
export interface SharingRange {
  /** The number that it uses or waits for. */
  connections(): number;
  /** Requests more when others have ended or released some. */
  grow(): void;
}

/** Shared by the lanes of one process: its ledger, the writer of outcomes, and through the deps the connections. */
export interface Sending<Own extends MailDeps = MailDeps> {
  deps: SendingDeps<Own>;
  ledger: Ledger;
  outcomes: OutcomeWriter;
  memory: ComposingMemory;
  ranges: Set<SharingRange>;
  /** Called with every outcome when it is written: for measurements. */
  watchers: Set<(ended: Ended[]) => void>;
  /** No final dot is written any more; unsent claims are returned, and sent mail gets this long for the relay's reply. */
  stop(graceMs: number): Promise<void>;
}

export function openSending<Own extends MailDeps>(deps: SendingDeps<Own>): Sending<Own> {
  const ledger = withDotJournal(openLedger(), deps.dots);
  const watchers: Sending['watchers'] = new Set([(ended: Ended[]) => noteOutcomes(deps, ended)]);
  const notify = (ended: Ended[]) => watchers.forEach((watch) => void watch(ended));
  const outcomes = new OutcomeWriter(deps, ledger, outcomeEffects(deps), notify);
  const memory = openComposingMemory(deps.config.composeMemoryMb * 1_000_000);
  const stopRenewing = startRenewing(deps, ledger);
  return {
    deps,
    ledger,
    outcomes,
    memory,
    ranges: new Set(),
    watchers,
    async stop(graceMs) {
      ledger.stopping = true;
      memory.close();
      await deps.mailer.close(graceMs);
      await outcomes.drained();
      ledger.dots?.remove();
      stopRenewing();
      await deps.signer.close();
    },
  };
}
