import { recordDates } from './automations/dates/record.ts';
import { hearAnswer } from './automations/enrollments/answers.ts';
import { endedEarly } from './automations/enrollments/ended-early.ts';
import { announceDeletions, eraseUnseen, recordDeletions } from './automations/enrollments/exit.ts';
import { hearActs, hearReply } from './automations/enrollments/hearing.ts';
import { endUnsubscribed } from './automations/enrollments/unsubscribes.ts';
import { readEntrances, searchedEntries } from './automations/entrances.ts';
import { recordMail } from './automations/entries/received-mail.ts';
import { announceForms, recordForms } from './automations/entries/submitted-forms.ts';
import { announceTriggers, recordTriggers } from './automations/record-triggers.ts';
import {
  automationWithForm,
  automationWithGroup,
  automationWithPicture,
  automationWithTemplate,
  automationWithWebhook,
} from './automations/uses.ts';
import type { CallerDeps, Deps, Subscribers } from './base/deps.ts';
import { refuseHeld } from './campaigns/definition/holds.ts';
import { campaignWithGroup, campaignWithTemplate } from './campaigns/definition/uses.ts';
import { eraseConsents } from './consent/consents/erase.ts';
import { announceEvents } from './events/events.ts';
import { recordPublication } from './events/template-published.ts';
import { publishChecked } from './figures/live/domain-checked.ts';
import { removePendingOfDeleted } from './forms/pending.ts';
import { formWithGroup, formWithTemplate, refuseListOfForm } from './forms/uses.ts';
import { announceInboundOfDeleted, recordInboundOfDeleted } from './inbound/removals.ts';
import { refuseQueued } from './mail/accept/group-uses.ts';
import { recordMessagesOfDeleted } from './mail/erase/erase.ts';
import { recordMailOfDeleted } from './mail/erase/fail-for-deleted.ts';
import { erasePlaces } from './mail/frequency/remove.ts';
import { capWithGroup } from './mail/frequency/uses.ts';
import { receivedMail } from './mail/messages/received.ts';
import { eraseMigrationNotes } from './migrations/erase-notes.ts';
import { announceFacts, noteActs, noteCustomEvents, noteDeletions, noteReceived } from './people/behaviour/note.ts';
import { announceContactEvents, recordContactEvents, recordEventsOfDeleted } from './people/contacts/events.ts';
import { recordHistory } from './people/contacts/history.ts';
import { eraseImportErrors } from './people/imports/erase-errors.ts';
import { logoWithPicture, templateWithPicture } from './templates/media/media.ts';

/** The same code where its own types are known: it takes the whole, of which a caller's type names a part. */
type Registered<Code> = Code extends (deps: CallerDeps, ...rest: infer Rest) => infer Result
  ? (deps: Deps, ...rest: Rest) => Result
  : Code extends object
    ? { [Name in keyof Code]: Registered<Code[Name]> }
    : Code;

/** All code that lower folders call, in the order in which it is called. */
const registered: Registered<Subscribers> = {
  contacts: [
    { onChanges: recordDates },
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
  erasures: [eraseUnseen, eraseConsents, erasePlaces, eraseImportErrors, eraseMigrationNotes],
  suppressions: [endUnsubscribed],
  listRemovals: [refuseHeld, refuseListOfForm],
  groupRemovals: [refuseQueued],
  usesOfGroup: [campaignWithGroup, automationWithGroup, formWithGroup, capWithGroup],
  usesOfTemplate: [campaignWithTemplate, automationWithTemplate, formWithTemplate],
  usesOfForm: [automationWithForm],
  usesOfWebhook: [automationWithWebhook],
  acceptedForms: { record: recordForms, announce: announceForms },
  writtenMail: [recordMail, hearReply],
  publications: { record: recordPublication, announce: announceEvents },
  usesOfPicture: [templateWithPicture, automationWithPicture, logoWithPicture],
  projectRules: readEntrances,
  searchedFilters: searchedEntries,
  contactActs: [noteActs, hearActs],
  deliveries: [noteReceived],
  receivedMail,
  endedEarly,
  domainChecks: [publishChecked],
  webhookAnswers: [hearAnswer],
  customEvents: { record: noteCustomEvents, announce: announceFacts },
};

export const subscribers = registered as unknown as Subscribers;
