/**
 * The states of a message, and for each the states that may follow. Other files name a state by `states` and decide by the lists
 * and predicates below: test/outbox/states.test.ts finds a state that is spelled elsewhere.
 */
export const messageTransitions = {
  /** Not to be sent before its time, and never claimed so far. */
  scheduled: ['committing', 'cancelled'],
  /** `sent`: the relay's 250 came after its orphan was queued again. */
  queued: ['committing', 'sent', 'failed', 'cancelled'],
  deferred: ['committing', 'failed', 'cancelled'],
  /** Claimed by a process: it has the only right to deliver the message. */
  committing: ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'],
  /** A late outcome of the process that had the claim, evidence, a report, or a person's retry. */
  unknown: ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed'],
  sent: ['bounced'],
  bounced: [],
  /** A person retries the failed messages of a campaign. */
  failed: ['queued'],
  suppressed: [],
  /** A caller, or the deletion of its contact or project, stopped it before it was claimed. */
  cancelled: [],
} as const;

export type MessageState = keyof typeof messageTransitions;
/** The REST interface shows a claimed message as `queued`. */
export type ShownState = Exclude<MessageState, 'committing'>;

export const ALL_STATES = Object.keys(messageTransitions) as MessageState[];
export const states = Object.fromEntries(ALL_STATES.map((state) => [state, state])) as {
  readonly [State in MessageState]: State;
};

/** To be sent as soon as a process can, or at the next try. */
export const WAITING_STATES = [states.queued, states.deferred];
/** A claim takes messages in these states. */
export const CLAIMABLE_STATES = [states.scheduled, ...WAITING_STATES];
/** A message in these states may still be sent; every other state is an outcome. */
export const OPEN_STATES: readonly MessageState[] = [...CLAIMABLE_STATES, states.committing];
/**
 * States of orphans. Their lease has ended, so the owner is gone (or is stopped, and then writes no final dot any more). An
 * outcome that comes late is still stored in these states.
 */
export const ORPHAN_STATES: readonly MessageState[] = [states.committing, states.unknown];
/** The relay took the message, now or before it returned it. */
export const DELIVERED_STATES: readonly MessageState[] = [states.sent, states.bounced];
/** A later report of the receiving server decides in these states. */
export const REPORTABLE_STATES = [states.sent, states.unknown];
/** An attempt ended without a final outcome: the next one counts it. */
export const DEFERRAL_STATES: readonly MessageState[] = [states.deferred, states.unknown];
/** Messages in these states say why they were not sent, or are not sent yet. */
export const REASON_STATES = [states.bounced, states.deferred, states.failed, states.suppressed, states.unknown];
/** Outcomes that the series count. */
export const COUNTED_STATES: readonly MessageState[] = [...DELIVERED_STATES, states.deferred];
export const FINAL_STATES: readonly MessageState[] = [states.sent, states.bounced, states.failed, states.suppressed];
/** The relay took the mail of a recipient in these states, or may have: it cannot be cancelled. */
export const TAKEN_RECIPIENT_STATES: readonly ShownState[] = [states.sent, states.bounced, states.unknown];
/** Messages in these states ended without reaching a relay. */
export const UNSENT_STATES: readonly MessageState[] = [states.failed, states.suppressed, states.cancelled];
/** A recipient of to, cc or bcc in these states has no final outcome, and so is in the next envelope. */
export const OPEN_RECIPIENT_STATES: readonly ShownState[] = [states.queued, states.deferred, states.unknown];

export function isOpen(state: MessageState): boolean {
  return OPEN_STATES.includes(state);
}

export function isOver(state: MessageState): boolean {
  return !isOpen(state);
}

/** For messages whose lease has ended. */
export function isOrphan(state: MessageState): boolean {
  return ORPHAN_STATES.includes(state);
}

export function isOpenRecipient({ state }: { state: ShownState }): boolean {
  return OPEN_RECIPIENT_STATES.includes(state);
}

export function shownState(state: MessageState): ShownState {
  return state === states.committing ? states.queued : state;
}

export function statesShownAs(shown: ShownState): MessageState[] {
  return ALL_STATES.filter((state) => shownState(state) === shown);
}
