import type { updateProjectBody } from '../../schemas/accounts/account.ts';
import type { Described } from '../../schemas/schema.ts';
import { invalid } from '../base/errors.ts';
import type { Mailbox, Project } from '../base/model.ts';
import { requireEmail } from '../base/text/addresses.ts';
import { isAllowedUrl } from '../base/text/urls.ts';
import { requireVerifiedDomain } from '../domains/senders.ts';
import type { AccountsDeps } from './deps.ts';

const FIELDS = [
  'publicName',
  'logoUrl',
  'color',
  'postalAddress',
  'languageProperty',
  'consentAddress',
  'publicFrom',
] as const;

type PublicFields = Pick<Project, (typeof FIELDS)[number]>;
type Input = Pick<Described<typeof updateProjectBody>, (typeof FIELDS)[number]>;

/** The fields that people outside see, checked. null in a call removes a field, so that its default holds again. */
export async function readPublicFields(
  deps: AccountsDeps,
  project: Pick<Project, '_id'>,
  input: Input,
): Promise<{ set: PublicFields; unset: Partial<Record<keyof PublicFields, ''>> }> {
  const { logoUrl, color, postalAddress, publicFrom, ...others } = input;
  if (logoUrl) requireLogo(deps, logoUrl);
  const from = publicFrom && (await readFrom(deps, project, publicFrom));
  const read = {
    ...others,
    logoUrl,
    color: color?.toLowerCase(),
    postalAddress: postalAddress?.replaceAll('\r\n', '\n').replaceAll('\r', '\n').trim(),
    publicFrom: from,
  };
  const kept = FIELDS.flatMap((field) => (read[field] == null ? [] : [[field, read[field]]]));
  const removed = FIELDS.flatMap((field) => (input[field] === null ? [[field, '']] : []));
  return { set: Object.fromEntries(kept), unset: Object.fromEntries(removed) };
}

/** By https from a public host, or a picture of this installation, which may be served by http in development. */
function requireLogo({ config: { publicUrl } }: AccountsDeps, logoUrl: string): void {
  const { host, hostname, protocol, port } = new URL(publicUrl);
  const own = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  if (logoUrl.startsWith(`${publicUrl}/media/`) && isAllowedUrl(logoUrl, { allow: [own] })) return;
  if (!isAllowedUrl(logoUrl))
    throw invalid(
      `logoUrl must be a picture by https, or one of POST /media at ${host}.`,
      'logoUrl: must be a public https address',
    );
}

async function readFrom(
  deps: AccountsDeps,
  project: Pick<Project, '_id'>,
  { email, name }: { email: string; name?: string | null | undefined },
): Promise<Mailbox> {
  const normal = requireEmail(email);
  await requireVerifiedDomain(deps, project, normal, 'publicFrom/email');
  return { email: normal, name: name || null };
}
