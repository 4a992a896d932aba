import { type DotJournals, MACHINE_MARK, type NotedDot } from './dot-journal.ts';
import type { Claimed, Ledger } from './ledger.ts';

/** Gives the ledger a journal. The owner's name then says on which machine, so that others know that there is one. */
export function withDotJournal(ledger: Ledger, journals: DotJournals): Ledger {
  if (journals.machine === null) return ledger;
  const owner = ledger.owner + MACHINE_MARK + journals.machine;
  const dots = journals.open(owner, () => unwritten(ledger));
  return dots ? Object.assign(ledger, { owner, dots }) : ledger;
}

function* unwritten(ledger: Ledger): Generator<NotedDot> {
  for (const held of ledger.held.values()) if (isNoted(held)) yield held;
  for (const { recipients } of ledger.blocks.values()) for (const held of recipients) if (isNoted(held)) yield held;
}

function isNoted(held: Claimed): held is Claimed & NotedDot {
  return held.noted !== undefined;
}
