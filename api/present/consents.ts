import type { Consent } from '../../core/consent/consents/model.ts';

export function presentConsent(consent: Consent) {
  const { _id, email, source, text, textVersion, askedAt, confirmedAt, networkAddress, createdAt } = consent;
  const { formId = null, importId = null, listIds = [] } = consent;
  return {
    ...{ id: _id, email, source, formId, importId, listIds, text, textVersion },
    ...{ askedAt, confirmedAt, networkAddress, createdAt },
  };
}
