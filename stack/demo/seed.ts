import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { addMember } from '../../core/accounts/members.ts';
import { createOrganization } from '../../core/accounts/organizations.ts';
import { createProject } from '../../core/accounts/projects.ts';
import { createLocalLink } from '../../core/accounts/sign-in/links.ts';
import type { Deps } from '../../core/base/deps.ts';
import { isLoopbackName } from '../../core/base/text/networks.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createSender } from '../../core/domains/senders.ts';
import { createTemplate } from '../../core/templates/templates.ts';
import { demoDomain, demoOwner, demoSender } from './demo-sender.ts';

const demoTemplate = {
  templateName: 'Welcome',
  subject: 'Welcome, {{default firstName "friend"}}',
  previewText: 'A first mail from your own Everpost.',
  emailTemplate: `<!doctype html>
<html>
  <body>
    <h1>Welcome, {{default firstName "friend"}}</h1>
    <p>This mail was made of a template. <a href="https://example.com/start">Start here</a>.</p>
    <p><a href="{{unsubscribe}}">Unsubscribe</a></p>
  </body>
</html>`,
  description: 'Shows variables with a default, a tracked link and the unsubscribe link.',
};

export interface Seed {
  readonly projectKey: string;
  readonly adminKey: string;
  readonly organizationId: string;
  readonly projectId: string;
}

/** The demo organization, made once. Keys are stored hashed, so their plain text is kept in the data folder, readable by its owner only. */
export async function seedDemo(deps: Deps, dataDir: string): Promise<Seed> {
  const file = join(dataDir, 'seed.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Seed) : null;
  if (kept && (await deps.db.organizations.findOne({ _id: new ObjectId(kept.organizationId) }))) return kept;
  const seed = await makeDemo(deps);
  writeFileSync(`${file}.part`, `${JSON.stringify(seed, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.part`, file);
  return seed;
}

/** The link that `npm start` prints, for the owner, who is added where there is none. */
export async function signInLinkOf(deps: Deps, { organizationId: id }: Seed): Promise<string | null> {
  if (!isLoopbackName(new URL(deps.config.publicUrl).hostname)) return null;
  const organizationId = new ObjectId(id);
  const known = await deps.db.members.findOne({ organizationId, email: demoOwner });
  if (!known) await addMember(deps, organizationId, { email: demoOwner, role: 'owner', createdBy: null });
  return createLocalLink(deps, demoOwner);
}

/** The content of a first start. New kinds of demo content join here, before the keys. */
async function makeDemo(deps: Deps): Promise<Seed> {
  const { organization, adminKey } = await createOrganization(deps, { name: 'Demo' });
  const project = await createProject(deps, organization._id, { name: 'Demo project' });
  await seedVerifiedDomain(deps, project, demoDomain, new ObjectId());
  const origin = { at: deps.clock.now(), seed: new ObjectId() };
  await createSender(deps, project, demoSender, origin);
  await createTemplate(deps, project, demoTemplate, origin);
  const owner = { organizationId: organization._id, projectId: project._id };
  const { key: projectKey } = await createApiKey(deps, { ...owner, name: 'demo key' });
  return {
    projectKey,
    adminKey,
    organizationId: organization._id.toHexString(),
    projectId: project._id.toHexString(),
  };
}
