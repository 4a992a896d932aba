import { type Dot, type DotJournals, MACHINE_MARK } from './dot-journal.ts';
import type { Ledger } from './ledger.ts';

/** Gives the ledger a journal. The owner's name then says on which machine, so that others know that there is one. */
export function withDotJournal(ledger: Ledger, journals: DotJournals): Ledger {
  if (journals.machine === null) return ledger;
  const owner = ledger.owner + MACHINE_MARK + journals.machine;
  const dots = journals.open(owner, () => begunDots(ledger));
  return dots ? Object.assign(ledger, { owner, dots }) : ledger;
}

function* begunDots(ledger: Ledger): Generator<Dot> {
  for (const held of ledger.held.values()) if (held.dotWritten) yield held;
  for (const { recipients } of ledger.blocks.values()) for (const held of recipients) if (held.dotWritten) yield held;
}
