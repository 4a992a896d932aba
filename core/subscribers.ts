import { announceDeletions, endUnsubscribed, recordDeletions } from './automations/enrollments/exit.ts';
import { readEntrances } from './automations/entrances.ts';
import { announceTriggers, recordTriggers } from './automations/record-triggers.ts';
import { automationWithGroup, automationWithTemplate } from './automations/uses.ts';
import type { Subscribers } from './base/deps.ts';
import { refuseHeld } from './campaigns/holds.ts';
import { campaignWithGroup, campaignWithTemplate } from './campaigns/uses.ts';
import { announceFacts, noteActs, noteCustomEvents, noteDeletions, noteReceived } from './contacts/behaviour/note.ts';
import { announceContactEvents, recordContactEvents, recordEventsOfDeleted } from './contacts/events.ts';
import { recordHistory } from './contacts/history.ts';
import { announceInboundOfDeleted, recordInboundOfDeleted } from './inbound/removals.ts';
import { refuseQueued } from './mails/group-uses.ts';
import { recordMessagesOfDeleted } from './messages/erase.ts';
import { recordMailOfDeleted } from './messages/fail-for-deleted.ts';

/** All code that lower folders call, in the order in which it is called. */
export const subscribers: Subscribers = {
  contacts: [
    { onChanges: recordTriggers, afterCommit: announceTriggers },
    { onDeletions: recordDeletions, afterCommit: announceDeletions },
    { onDeletions: recordMailOfDeleted },
    { onDeletions: recordMessagesOfDeleted },
    { onDeletions: recordInboundOfDeleted, afterCommit: announceInboundOfDeleted },
    { onDeletions: noteDeletions, onChanges: recordHistory },
    // Last: the events that the others wrote about a deleted contact are erased with the rest, `contact.deleted` is not.
    { onDeletions: recordEventsOfDeleted, onChanges: recordContactEvents, afterCommit: announceContactEvents },
  ],
  suppressions: [endUnsubscribed],
  listRemovals: [refuseHeld],
  groupRemovals: [refuseQueued],
  usesOfGroup: [campaignWithGroup, automationWithGroup],
  usesOfTemplate: [campaignWithTemplate, automationWithTemplate],
  projectRules: readEntrances,
  contactActs: [noteActs],
  deliveries: [noteReceived],
  customEvents: { record: noteCustomEvents, announce: announceFacts },
};
