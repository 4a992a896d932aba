import type { ApiKey } from '../../core/accounts/model.ts';
import { scopeOf } from '../../core/accounts/scopes.ts';
import type { Project } from '../../core/base/model.ts';
import type { PageOf } from '../../core/base/paging.ts';
import { LANGUAGE_PROPERTY } from '../../core/base/text/languages/index.ts';
import { entriesOf } from '../../core/consent/suppressions/groups.ts';
import type { Suppression, SuppressionGroup } from '../../core/consent/suppressions/model.ts';
import type { Domain, Sender } from '../../core/domains/model.ts';
import { contactData } from '../../core/people/contacts/events.ts';
import { asksAboutBehaviour } from '../../core/people/filters/filters.ts';
import { wireListId } from '../../core/people/global-list.ts';
import type { previewFilter } from '../../core/people/lists/preview.ts';
import type { FoundContact } from '../../core/people/lists/search.ts';
import type { Contact, ContactList, CustomField, SegmentRecompute } from '../../core/people/model.ts';
import { partNamed } from '../../core/templates/assemble/keys.ts';
import type { UsersOfPart } from '../../core/templates/assemble/uses.ts';
import type { TemplateAt } from '../../core/templates/changes.ts';
import type { Template } from '../../core/templates/model.ts';
import type { Republication } from '../../core/templates/parts/model.ts';
import type { TouchedTemplates } from '../../core/templates/parts/touched.ts';
import type { ListedVersion } from '../../core/templates/publish.ts';
import type { TranslationAt, TranslationsAt } from '../../core/templates/translations/translations.ts';
import { numbersOf, shownVersion, writtenOf } from '../../core/templates/versions.ts';
import { DKIM_ALGORITHMS } from '../../schemas/accounts/account.ts';
import type { Config } from '../../schemas/config.ts';

/** All wire shapes. Dates become ISO 8601 with milliseconds when the answer is written as JSON. */

export function presentProject(project: Project, domains: Domain[]) {
  const { _id, name, createdAt, updatedAt = createdAt, trackingOpen, trackingClick } = project;
  const { sandboxAddresses = false, sandboxSuppressions = false, dkimAlgorithms = DKIM_ALGORITHMS } = project;
  const verified = domains.find(({ verificationStatus }) => verificationStatus === 'VERIFIED');
  const inbound = domains.find(({ inboundEnabledAt }) => inboundEnabledAt !== null);
  return {
    id: _id,
    name,
    domain: verified?.domainName ?? null,
    domains: domains.map(({ _id: id, domainName, verificationStatus, regionKey }) => ({
      id,
      domainName,
      verificationStatus,
      regionKey,
    })),
    createdAt,
    updatedAt,
    trackingOpen,
    trackingClick,
    sandboxAddresses,
    sandboxSuppressions,
    dkimAlgorithms,
    ...zonesOf(project),
    frequencyCap: project.frequencyCap ?? null,
    ...publicFieldsOf(project),
    ...(inbound ? { inboundEmailDomain: inbound.domainName } : {}),
  };
}

function zonesOf({ timezone = 'UTC', timezoneProperty = null }: Project) {
  return { timezone, timezoneProperty };
}

function publicFieldsOf(project: Project) {
  const { publicName, logoUrl, color, postalAddress, publicFrom } = project;
  return {
    publicName: publicName ?? null,
    logoUrl: logoUrl ?? null,
    color: color ?? null,
    postalAddress: postalAddress ?? null,
    languageProperty: project.languageProperty ?? LANGUAGE_PROPERTY,
    consentAddress: project.consentAddress ?? 'shortened',
    publicFrom: publicFrom ?? null,
  };
}

export function presentApiKey(apiKey: ApiKey) {
  const { _id, name, domainName = null, createdBy = null, createdAt, lastUsedAt = null } = apiKey;
  return { id: _id, name, scope: scopeOf(apiKey), domainName, createdBy, createdAt, lastUsedAt };
}

export function presentContact(contact: Contact) {
  const { projectId, contactProperties } = contact;
  return { ...contactData(contact), customFields: contactProperties, projectId };
}

/** A contact as list endpoints return it. */
export function presentListMember({ _id, email, createdAt, updatedAt, projectId, listIds, segmentIds }: Contact) {
  return { id: _id, email, createdAt, updatedAt, projectId, listIds, segmentIds };
}

export function presentFoundContact({ _id, email, firstName, lastName, createdAt, updatedAt }: FoundContact) {
  return { id: _id, email, firstName, lastName, createdAt, updatedAt };
}

export function presentList(list: ContactList, config: Pick<Config, 'retentionDays'>) {
  const {
    name,
    description,
    type,
    isPublic = false,
    contactCount,
    filterCriteria,
    recompute,
    createdAt,
    updatedAt,
  } = list;
  return {
    id: wireListId(list),
    name,
    description,
    type: type === 'segment' ? 'segment' : 'list',
    isPublic,
    contactCount,
    filterCriteria,
    looksBackDays: looksBackDays(filterCriteria, config),
    recompute: recompute && presentRecompute(recompute),
    createdAt,
    updatedAt,
  };
}

export function presentPreview(
  { count, isExact, estimate, people, filter }: Awaited<ReturnType<typeof previewFilter>>,
  config: Pick<Config, 'retentionDays'>,
) {
  const shown = people.map(presentFoundContact);
  return { count, isExact, estimate, looksBackDays: looksBackDays(filter, config), people: shown };
}

/** Behaviour is kept as long as messages are. */
function looksBackDays(filter: object | null, { retentionDays }: Pick<Config, 'retentionDays'>): number | null {
  return asksAboutBehaviour(filter) ? retentionDays : null;
}

/** The second pass of a recompute is hidden from the caller: it shows as completed. */
function presentRecompute({ status, processed, total, requestedAt, completedAt }: SegmentRecompute) {
  const isRunning = status === 'running';
  return {
    status: isRunning ? 'running' : 'completed',
    processed,
    total,
    percent: isRunning ? Math.min(99, Math.floor((processed / Math.max(1, total)) * 100)) : 100,
    requestedAt,
    completedAt,
  };
}

export function presentCustomField(field: CustomField) {
  const { _id, fieldName, fieldType, label, description, defaultValue, createdAt, updatedAt } = field;
  return { id: _id, fieldName, fieldType, label, description, defaultValue, createdAt, updatedAt };
}

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

/** `version`: whose content it has. */
export function presentTemplate(template: Template, version = shownVersion(template)) {
  const { _id, templateId, projectId, templateName, subject, previewText, templateType } = template;
  const { builderType, description, editorJson, parentBodyProperties, isFlagged, source, createdBy = null } = template;
  const { campaignId = null, layoutId = null, trackingClick, trackingOpen, utm = null } = template;
  const { publishedAt, createdAt, updatedAt } = template;
  const { published, draft, newest } = numbersOf(template);
  return {
    id: _id,
    templateId,
    projectId,
    templateName,
    subject,
    previewText,
    emailTemplate: writtenOf(template),
    templateType,
    builderType,
    description,
    campaignId,
    editorJson,
    parentBodyProperties,
    isFlagged,
    source,
    createdBy,
    trackingClick,
    trackingOpen,
    utm,
    layoutId,
    version,
    publishedVersion: published || null,
    draftVersion: draft,
    newestVersion: newest,
    isDraftOutdated: draft !== null && draft < published,
    publishedAt,
    createdAt,
    updatedAt,
  };
}

/** A layout or a snippet, with what has it put in where that was looked up. */
export function presentPart({ template, version, used }: TemplateAt & { used?: UsersOfPart }) {
  const { templateId, templateName, ...shown } = presentTemplate(template, version);
  const part = Object.fromEntries(PART_FIELDS.map((name) => [name, shown[name]]));
  const users = used?.users.map((user) => ({ ...userOf(user.templateId), name: user.templateName }));
  return {
    ...{ ...part, id: userOf(templateId).id, name: templateName },
    ...(used && { usedBy: users, uses: used.total }),
  };
}

const PART_FIELDS = [
  ...(['projectId', 'description', 'emailTemplate', 'builderType', 'editorJson', 'createdBy', 'version'] as const),
  ...(['publishedVersion', 'draftVersion', 'newestVersion', 'isDraftOutdated', 'publishedAt'] as const),
  ...(['createdAt', 'updatedAt'] as const),
];

export function presentTouched({ templates, total }: TouchedTemplates) {
  return { templates: templates.map(({ templateId, templateName }) => ({ templateId, templateName })), total };
}

export function presentRepublication(job: Republication) {
  const { _id, status, templateIds, done, published, unchanged, failed, failures } = job;
  const { createdAt, updatedAt, completedAt } = job;
  const total = templateIds.length;
  return {
    ...{ id: _id, status, total, published, unchanged, failed, failures, pending: total - done },
    ...{ createdAt, updatedAt, completedAt },
  };
}

function userOf(templateId: string) {
  return partNamed(templateId) ?? { kind: 'template', id: templateId };
}

export function presentTemplateAt({ template, version }: TemplateAt) {
  return presentTemplate(template, version);
}

export function presentTranslations({ at, language, translations }: TranslationsAt) {
  return { language, translations, ...numbersAt(at) };
}

export function presentTranslation({ at, translation, texts, missing, outdated }: TranslationAt) {
  const given = new Map(translation.texts.map(({ name, text }) => [name, text]));
  const own = (name: string) => given.get(name) ?? null;
  return {
    language: translation.language,
    subject: own('subject'),
    previewText: own('previewText'),
    emailTemplate: own('emailTemplate'),
    texts: byBlock(given),
    ...{ missing, outdated, bases: texts, ...numbersAt(at) },
  };
}

function byBlock(given: ReadonlyMap<string, string>): Record<string, Record<string, string>> {
  const blocks: Record<string, Record<string, string>> = {};
  for (const [name, text] of given) {
    const end = name.indexOf('/');
    if (end < 0) continue;
    const blockId = name.slice(0, end);
    blocks[blockId] = { ...blocks[blockId], [name.slice(end + 1)]: text };
  }
  return blocks;
}

function numbersAt({ template, version }: TemplateAt) {
  const { published, draft, newest } = numbersOf(template);
  return { version, publishedVersion: published || null, draftVersion: draft, newestVersion: newest };
}

export function presentVersion({ createdBy, ...version }: ListedVersion) {
  return { ...version, createdBy: createdBy ?? null };
}

export function presentSender({ _id, email, name, replyTo, createdAt, updatedAt }: Sender) {
  return { id: _id, email, name, replyTo, createdAt, updatedAt };
}

/** {<plural>: [...], pagination} */
export function presentPage<T, Wire>(plural: string, { entries, pagination }: PageOf<T>, present: (entry: T) => Wire) {
  return { [plural]: entries.map(present), pagination };
}
