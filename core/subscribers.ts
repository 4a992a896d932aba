import { readEntrances } from './automations-audience.ts';
import { refuseHeld } from './campaign-holds.ts';
import { announceContactEvents, recordContactEvents, recordEventsOfDeleted } from './contact-events.ts';
import { recordMailOfDeleted } from './contact-mails.ts';
import type { Subscribers } from './deps.ts';
import { announceDeletions, endUnsubscribed, recordDeletions } from './enrollments-ending.ts';
import { announceInboundOfDeleted, recordInboundOfDeleted } from './inbound-removals.ts';
import { recordMessagesOfDeleted } from './message-erasures.ts';
import { announceTriggers, recordTriggers } from './triggers.ts';

/** Everything that follows contact changes, suppressions, removals of lists and project rules, in the order in which it is called. */
export const subscribers: Subscribers = {
  contacts: [
    { onChanges: recordTriggers, afterCommit: announceTriggers },
    { onDeletions: recordDeletions, afterCommit: announceDeletions },
    { onDeletions: recordMailOfDeleted },
    { onDeletions: recordMessagesOfDeleted },
    { onDeletions: recordInboundOfDeleted, afterCommit: announceInboundOfDeleted },
    // Last: the events that the others wrote about a deleted contact are erased with the rest, `contact.deleted` is not.
    { onDeletions: recordEventsOfDeleted, onChanges: recordContactEvents, afterCommit: announceContactEvents },
  ],
  suppressions: [endUnsubscribed],
  listRemovals: [refuseHeld],
  projectRules: readEntrances,
};
