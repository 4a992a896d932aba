import type { Activity } from '../../core/figures/reports/activity/model.ts';

export function presentActivity({ at, type, mail, event, change, suppression, consent }: Activity) {
  return {
    at,
    type,
    email: mail ? presentMail(mail) : null,
    event: event ? { eventId: event._id, eventName: event.eventName, properties: event.properties } : null,
    change: change ? presentChange(change) : null,
    suppression: suppression ? presentSuppression(suppression) : null,
    consent: consent ? presentConsentEntry(consent) : null,
  };
}

function presentMail({ message, step }: NonNullable<Activity['mail']>) {
  const { _id, copy, subject = null, campaignId = null, automationId = null } = message;
  const { url = null, automated = null, reason = null } = step;
  return { emailId: copy?.of ?? _id, subject, campaignId, automationId, url, automated, reason };
}

function presentChange({
  fields = [],
  fieldCount = 0,
  joinedListIds = [],
  leftListIds = [],
  importId,
  automationId,
}: NonNullable<Activity['change']>) {
  return {
    fields,
    fieldCount,
    joinedListIds,
    leftListIds,
    importId: importId ?? null,
    automationId: automationId ?? null,
  };
}

function presentSuppression({ groupId, reason, evidence, updatedAt }: NonNullable<Activity['suppression']>) {
  return { groupId, reason, evidence, updatedAt };
}

function presentConsentEntry({ _id, source, textVersion, askedAt, confirmedAt }: NonNullable<Activity['consent']>) {
  return { consentId: _id, source, textVersion, askedAt, confirmedAt };
}
