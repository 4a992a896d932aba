import type { Project, UpdateProjectBody } from '../../../client/index.ts';
import type { Parts } from '../../parts/forms/overtaken.tsx';

export const whyReadOnly = 'Owners change it.';

/** The fields as they are typed; those of the sender as the interface names them in a refusal. */
export interface Draft {
  name: string;
  publicName: string;
  logoUrl: string;
  color: string;
  postalAddress: string;
  languageProperty: string;
  consentAddress: Project['consentAddress'];
  'publicFrom/email': string;
  'publicFrom/name': string;
  trackingOpen: boolean;
  trackingClick: boolean;
  sandboxAddresses: boolean;
  sandboxSuppressions: boolean;
  /** As a choice names them: 'rsa-sha256,ed25519-sha256'. */
  dkimAlgorithms: string;
  timezone: string;
  timezoneProperty: string;
  'frequencyCap/mails': string;
  'frequencyCap/withinDays': string;
  'frequencyCap/exceptGroupIds': readonly string[];
}

export function draftOf(project: Project): Draft {
  return {
    name: project.name,
    publicName: project.publicName ?? '',
    logoUrl: project.logoUrl ?? '',
    color: project.color ?? '',
    postalAddress: project.postalAddress ?? '',
    languageProperty: project.languageProperty,
    consentAddress: project.consentAddress,
    'publicFrom/email': project.publicFrom?.email ?? '',
    'publicFrom/name': project.publicFrom?.name ?? '',
    trackingOpen: project.trackingOpen,
    trackingClick: project.trackingClick,
    sandboxAddresses: project.sandboxAddresses,
    sandboxSuppressions: project.sandboxSuppressions,
    dkimAlgorithms: project.dkimAlgorithms.toSorted().toReversed().join(),
    timezone: project.timezone,
    timezoneProperty: project.timezoneProperty ?? '',
    'frequencyCap/mails': String(project.frequencyCap?.mails ?? ''),
    'frequencyCap/withinDays': String(project.frequencyCap?.withinDays ?? ''),
    'frequencyCap/exceptGroupIds': project.frequencyCap?.exceptGroupIds ?? [],
  };
}

/** As the page calls them. */
export const parts: Parts<Draft> = {
  name: 'Name',
  publicName: 'Public name',
  logoUrl: 'Logo',
  color: 'Colour',
  postalAddress: 'Postal address',
  languageProperty: 'Property with the language of a person',
  consentAddress: 'What a consent keeps of the address on the network',
  'publicFrom/email': 'Sender of confirmations',
  'publicFrom/name': 'Name shown',
  trackingOpen: 'Count opens',
  trackingClick: 'Count clicks',
  sandboxAddresses: 'Answer mail to sandbox addresses',
  sandboxSuppressions: 'Let them be suppressed',
  dkimAlgorithms: 'How mail is signed',
  timezone: 'Time zone of the project',
  timezoneProperty: 'Property with the time zone of a person',
  'frequencyCap/mails': 'Most marketing mails',
  'frequencyCap/withinDays': 'Within days',
  'frequencyCap/exceptGroupIds': { label: 'Groups that the frequency cap excepts', text: (ids) => ids.join(', ') },
};

/** Changed fields only: a sender whose domain is not verified any more does not stop a change of the logo. */
export function changesOf(project: Project, draft: Draft): UpdateProjectBody {
  const [before, after] = [wholeOf(draftOf(project)), wholeOf(draft)];
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof UpdateProjectBody]),
  );
  return Object.fromEntries(changed);
}

/** An empty field is the default again. */
function wholeOf(draft: Draft): UpdateProjectBody {
  const { name, consentAddress, trackingOpen, trackingClick, sandboxAddresses, sandboxSuppressions } = draft;
  const email = draft['publicFrom/email'].trim();
  const senderName = draft['publicFrom/name'].trim();
  return {
    ...{ name, consentAddress, trackingOpen, trackingClick, sandboxAddresses, sandboxSuppressions },
    dkimAlgorithms: draft.dkimAlgorithms.split(',') as Project['dkimAlgorithms'],
    timezone: draft.timezone,
    timezoneProperty: draft.timezoneProperty.trim() || null,
    frequencyCap: capOf(draft),
    publicName: draft.publicName.trim() || null,
    logoUrl: draft.logoUrl.trim() || null,
    color: draft.color.trim() || null,
    postalAddress: draft.postalAddress.trim() || null,
    languageProperty: draft.languageProperty.trim() || null,
    publicFrom: email || senderName ? { email, ...(senderName && { name: senderName }) } : null,
  };
}

/** Without both numbers there is none, whatever is excepted; with one of them the interface asks for the other. */
function capOf(draft: Draft): UpdateProjectBody['frequencyCap'] {
  const [mails, days] = [draft['frequencyCap/mails'].trim(), draft['frequencyCap/withinDays'].trim()];
  if (!mails && !days) return null;
  const numbers = { ...(mails && { mails: Number(mails) }), ...(days && { withinDays: Number(days) }) };
  return { ...numbers, exceptGroupIds: [...draft['frequencyCap/exceptGroupIds']] } as UpdateProjectBody['frequencyCap'];
}
