import { announceDeletions, endUnsubscribed, recordDeletions } from './automations/enrollments/exit.ts';
import { readEntrances, searchedEntries } from './automations/entrances.ts';
import { announceTriggers, recordTriggers } from './automations/record-triggers.ts';
import { automationWithGroup, automationWithPicture, automationWithTemplate } from './automations/uses.ts';
import type { Subscribers } from './base/deps.ts';
import { refuseHeld } from './campaigns/holds.ts';
import { campaignWithGroup, campaignWithTemplate } from './campaigns/uses.ts';
import { eraseConsents } from './consents/erase.ts';
import { announceFacts, noteActs, noteCustomEvents, noteDeletions, noteReceived } from './contacts/behaviour/note.ts';
import { announceContactEvents, recordContactEvents, recordEventsOfDeleted } from './contacts/events.ts';
import { recordHistory } from './contacts/history.ts';
import { announceEvents } from './feed/events.ts';
import { recordPublication } from './feed/template-published.ts';
import { removePendingOfDeleted } from './forms/pending.ts';
import { formWithGroup, formWithTemplate, refuseListOfForm } from './forms/uses.ts';
import { eraseImportErrors } from './imports/erase-errors.ts';
import { announceInboundOfDeleted, recordInboundOfDeleted } from './inbound/removals.ts';
import { publishChecked } from './live/domain-checked.ts';
import { refuseQueued } from './mails/group-uses.ts';
import { logoWithPicture, templateWithPicture } from './media/media.ts';
import { recordMessagesOfDeleted } from './messages/erase.ts';
import { recordMailOfDeleted } from './messages/fail-for-deleted.ts';
import { eraseMigrationNotes } from './migrations/erase-notes.ts';

/** All code that lower folders call, in the order in which it is called. */
export const subscribers: Subscribers = {
  contacts: [
    { onChanges: recordTriggers, afterCommit: announceTriggers },
    { onDeletions: recordDeletions, afterCommit: announceDeletions },
    { onDeletions: recordMailOfDeleted },
    { onDeletions: recordMessagesOfDeleted },
    { onDeletions: removePendingOfDeleted },
    { onDeletions: recordInboundOfDeleted, afterCommit: announceInboundOfDeleted },
    { onDeletions: noteDeletions, onChanges: recordHistory },
    // Last: the events that the others wrote about a deleted contact are erased with the rest, `contact.deleted` is not.
    { onDeletions: recordEventsOfDeleted, onChanges: recordContactEvents, afterCommit: announceContactEvents },
  ],
  erasures: [eraseConsents, eraseImportErrors, eraseMigrationNotes],
  suppressions: [endUnsubscribed],
  listRemovals: [refuseHeld, refuseListOfForm],
  groupRemovals: [refuseQueued],
  usesOfGroup: [campaignWithGroup, automationWithGroup, formWithGroup],
  usesOfTemplate: [campaignWithTemplate, automationWithTemplate, formWithTemplate],
  publications: { record: recordPublication, announce: announceEvents },
  usesOfPicture: [templateWithPicture, automationWithPicture, logoWithPicture],
  projectRules: readEntrances,
  searchedFilters: searchedEntries,
  contactActs: [noteActs],
  deliveries: [noteReceived],
  domainChecks: [publishChecked],
  customEvents: { record: noteCustomEvents, announce: announceFacts },
};
