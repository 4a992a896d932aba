import { generateKeyPairSync } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import type { Project } from '../../../core/base/model.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { sealDkimKey } from '../../../core/domains/keys.ts';

/** A signature with it takes a sixth of the time that one with a key of ours takes, which is twice as long. */
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });

/** A verified domain for tests that send much. Keys of the usual length are tested by test/smtp/dkim.test.ts and test/stack/start.test.ts. */
export async function seedSendingDomain(deps: Deps, project: Project, domainName: string): Promise<void> {
  const domain = await seedVerifiedDomain(deps, project, domainName, new ObjectId());
  const dkim = {
    selector: domain.dkim.selector,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKey: sealDkimKey(deps, domain, 'dkim', privateKey),
  };
  await deps.db.domains.updateOne({ _id: domain._id, projectId: project._id }, { $set: { dkim } });
}
