import { AppError } from '../../../base/errors.ts';
import type { NewConsent } from '../../../consent/consents/model.ts';
import { networkAddressFor } from '../../../consent/consents/record.ts';
import type { ContactOutcome } from '../../changes/apply-change.ts';
import type { PeopleDeps } from '../../deps.ts';
import type { ContactImport } from '../model.ts';
import type { RowChange } from '../read-batch.ts';

type Order = Pick<ContactImport, '_id' | 'projectId'>;

/** Returns the function that makes the records of consent of a batch, once its contacts are known. */
export async function consentReader(
  deps: PeopleDeps,
  { _id: importId, projectId }: Order,
  changes: RowChange[],
): Promise<(outcomes: Array<ContactOutcome | AppError>) => NewConsent[]> {
  if (!changes.some(({ consent }) => consent)) return () => [];
  const project = await deps.db.projects.findOne({ _id: projectId }, { projection: { consentAddress: 1 } });
  return (outcomes) =>
    outcomes.flatMap((outcome, index): NewConsent[] => {
      const consent = changes[index]?.consent;
      if (!consent || !project || outcome instanceof AppError || !outcome.after) return [];
      const { _id: contactId, email } = outcome.after;
      const { text, askedAt, confirmedAt } = consent;
      const networkAddress = networkAddressFor(project, consent.address);
      return [{ contactId, email, source: 'import', importId, text, askedAt, confirmedAt, networkAddress }];
    });
}
