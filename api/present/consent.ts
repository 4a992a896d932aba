import type { Consent } from '../../core/consent/consents/model.ts';
import { entriesOf } from '../../core/consent/suppressions/groups.ts';
import type { Suppression, SuppressionGroup } from '../../core/consent/suppressions/model.ts';

export function presentSuppressionGroup(group: SuppressionGroup) {
  const { groupId, name, description, isGlobal, isDefault, isMarketing = false, isPublic = false } = group;
  const { counts, createdAt, updatedAt } = group;
  const facts = { id: groupId, groupId, name, description, isGlobal, isDefault, isMarketing, isPublic };
  return { ...facts, suppressionCount: entriesOf(counts), createdAt, updatedAt };
}

/** A group that an address unsubscribed from, with reason and date. */
export function presentUnsubscribeGroup(
  group: SuppressionGroup,
  { reason, exceptGroupIds = [], createdAt }: Suppression,
) {
  return { ...presentSuppressionGroup(group), reason, exceptGroupIds, suppressedAt: createdAt };
}

export function presentSuppression(entry: Suppression) {
  const { _id, email, groupId, reason, isGlobal, isMarketing = false, exceptGroupIds = [] } = entry;
  const { evidence, createdAt, updatedAt } = entry;
  return { id: _id, email, groupId, reason, isGlobal, isMarketing, exceptGroupIds, evidence, createdAt, updatedAt };
}

export function presentConsent(consent: Consent) {
  const { _id, email, source, text, textVersion, askedAt, confirmedAt, networkAddress, createdAt } = consent;
  const { formId = null, importId = null, listIds = [] } = consent;
  return {
    ...{ id: _id, email, source, formId, importId, listIds, text, textVersion },
    ...{ askedAt, confirmedAt, networkAddress, createdAt },
  };
}
