import { AppError, invalid } from '../base/errors.ts';
import { findById } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { emailDomain, normalizeEmail } from '../base/text/addresses.ts';
import { findNamableGroup } from '../consent/suppressions/find-groups.ts';
import { findVerifiedDomain } from '../domains/domains.ts';
import { parseFilter } from '../people/filters/filters.ts';
import { findList, listsNamed } from '../people/lists/lists.ts';
import { requireLists } from '../people/lists/named.ts';
import { findTemplate, publishedTemplate, storedTemplateIds } from '../templates/find.ts';
import { picturesInside } from '../templates/media/inline.ts';
import { htmlInLanguages } from '../templates/translations/mail.ts';
import type { AutomationsDeps } from './deps.ts';
import type { AutomationDefinition, AutomationStep } from './model/definition.ts';
import { askedBy } from './rules/awaited.ts';
import { activationFaults } from './rules/definition.ts';
import { addressFaults, namedWebhooks, offFaults } from './webhooks/addresses.ts';

/** Everything that a definition names must exist: 404 with the field. */
export async function requireNamed(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  definition: AutomationDefinition,
): Promise<void> {
  for (const thing of namedThings(deps, project, definition, findTemplate)) await thing.check();
}

export async function refuseIncomplete(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  definition: AutomationDefinition,
  what = 'The automation cannot be activated',
): Promise<void> {
  const missing = await missingForActivation(deps, project, definition);
  if (missing.length > 0)
    throw invalid(`${what}: ${missing.join('; ')}`, missing.join('; '), 'CANNOT_ACTIVATE_AUTOMATION');
}

/** One line for each thing that activation requires and that is missing. */
async function missingForActivation(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  definition: AutomationDefinition,
): Promise<string[]> {
  const missing = [...activationFaults(definition), ...addressFaults(deps, definition.steps)];
  for (const { field, check } of namedThings(deps, project, definition, publishedTemplate)) {
    const problem = await check().then(
      () => null,
      (error) => {
        if (error instanceof AppError) return error.details ?? `${field}: ${error.message}`;
        throw error;
      },
    );
    if (problem) missing.push(problem);
  }
  missing.push(...(await missingEvents(deps, project, definition)));
  const { type, address } = definition.entryCriteria;
  if (type === 'email_received' && address !== undefined && !(await takesMail(deps, project, address)))
    missing.push('entryCriteria/address: is not at a domain of this project that receives mail');
  missing.push(...(await missingSubjects(deps, project, definition)));
  missing.push(...(await missingSenders(deps, project, definition)));
  missing.push(...(await offFaults(deps, project, definition.steps)));
  return missing;
}

async function missingEvents(
  { db }: AutomationsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  { entryCriteria: { type, eventName = '' }, steps }: AutomationDefinition,
): Promise<string[]> {
  const named = steps.flatMap((step, index) => {
    const { eventName: name, path } = askedBy(step) ?? {};
    return name === undefined ? [] : [{ name, field: `steps/${index}/${path}eventName` }];
  });
  if (type === 'event_trigger') named.unshift({ name: eventName, field: 'entryCriteria/eventName' });
  if (named.length === 0) return [];
  const wanted = { projectId, eventName: { $in: named.map(({ name }) => name) } };
  const found = await db.eventDefinitions.find(wanted, { projection: { eventName: 1 } }).toArray();
  const known = new Set(found.map((definition) => definition.eventName));
  return named.flatMap(({ name, field }) => (known.has(name) ? [] : [`${field}: names no event of this project`]));
}

async function takesMail(
  { db }: AutomationsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  address: string,
): Promise<boolean> {
  const receiving = { projectId, domainName: emailDomain(address), inboundEnabledAt: { $type: 'date' } } as const;
  return (await db.domains.findOne(receiving, { projection: { _id: 1 } })) !== null;
}

/** Steps that name templates by the ids that callers know. */
export async function withStoredIds<T extends Pick<AutomationDefinition, 'steps'>>(
  deps: Pick<AutomationsDeps, 'db'>,
  project: Pick<Project, '_id'>,
  definition: T,
): Promise<T> {
  const { steps } = definition;
  const idOf = await storedTemplateIds(deps, project, steps.flatMap(templatesOf));
  const named = steps.map((step) =>
    step.type === 'email' && step.email.templateId !== undefined
      ? { ...step, email: { ...step.email, templateId: idOf(step.email.templateId) } }
      : step,
  );
  return { ...definition, steps: named };
}

export function templatesOf(step: AutomationStep): string[] {
  return step.type === 'email' && step.email.templateId !== undefined ? [step.email.templateId] : [];
}

/** The address that an email step sends from; null when the project has none. */
export async function firstSender(deps: AutomationsDeps, project: Pick<Project, '_id'>) {
  return deps.db.senders.findOne({ projectId: project._id }, { sort: { _id: 1 }, hint: 'email' });
}

interface NamedThing {
  field: string;
  check(): Promise<unknown>;
}

function namedThings(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  definition: AutomationDefinition,
  templateNamed: typeof findTemplate,
): NamedThing[] {
  const { entryCriteria, unsubscribeGroupId, steps } = definition;
  const things: NamedThing[] = [];
  const { listId, formId } = entryCriteria;
  if (listId !== undefined)
    things.push({
      field: 'entryCriteria/listId',
      check: () => findList(deps, project, listId, 'entryCriteria/listId'),
    });
  if (formId !== undefined)
    things.push({
      field: 'entryCriteria/formId',
      check: () => findById(deps.db.forms, project, formId, 'FORM', 'entryCriteria/formId'),
    });
  if (unsubscribeGroupId !== null)
    things.push({
      field: 'unsubscribeGroupId',
      check: () => findNamableGroup(deps, project, unsubscribeGroupId, 'unsubscribeGroupId'),
    });
  for (const { criteria, path } of filtersOf(definition)) {
    const parsed = parseFilter(criteria, { contactProperties: {}, event: {} });
    if (parsed.ok) things.push({ field: path, check: () => requireLists(deps, project, parsed.filter, { path }) });
  }
  things.push(...listsChanged(deps, project, steps), ...namedWebhooks(deps, project, steps));
  things.push(...picturesShown(deps, project, steps, templateNamed));
  const seen = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const templateId = step.type === 'email' ? step.email.templateId : undefined;
    if (templateId === undefined || seen.has(templateId)) continue;
    seen.add(templateId);
    const field = `steps/${index}/email/templateId`;
    things.push({ field, check: () => templateNamed(deps, project, templateId, field) });
  }
  return things;
}

/** Too many of them are refused; a template that is missing has its own fault. */
function picturesShown(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  steps: AutomationStep[],
  templateNamed: typeof findTemplate,
): NamedThing[] {
  return steps.flatMap((step, index): NamedThing[] => {
    if (step.type !== 'email' || !step.email.inlinePictures) return [];
    const { htmlTemplate, templateId = '' } = step.email;
    const path = `steps/${index}/email/`;
    const check = async () => {
      const mails =
        htmlTemplate === undefined
          ? await htmlInLanguages(deps, await templateNamed(deps, project, templateId, `${path}templateId`))
          : [{ html: htmlTemplate }];
      await picturesInside(deps, project._id, mails, path);
    };
    return [{ field: `${path}inlinePictures`, check }];
  });
}

/** The lists that steps add people to, and remove them from; each is looked for once. */
function listsChanged(deps: AutomationsDeps, project: Pick<Project, '_id'>, steps: AutomationStep[]): NamedThing[] {
  const seen = new Set<string>();
  return steps.flatMap((step, index) => {
    if (step.type !== 'update_contact') return [];
    return (['addListIds', 'removeListIds'] as const).flatMap((name): NamedThing[] => {
      const ids = (step.update[name] ?? []).filter((id) => !seen.has(id));
      for (const id of ids) seen.add(id);
      const field = `steps/${index}/update/${name}`;
      return ids.length === 0 ? [] : [{ field, check: () => listsNamed(deps, project, ids, field) }];
    });
  });
}

interface NamedFilter {
  criteria: Record<string, unknown> | null | undefined;
  path: string;
}

function filtersOf({ entryCriteria, steps }: AutomationDefinition): NamedFilter[] {
  const ofSteps = steps.flatMap((step, at): NamedFilter[] => {
    const asked = askedBy(step);
    if (asked) return [{ criteria: asked.filterCriteria, path: `steps/${at}/${asked.path}filterCriteria` }];
    if (step.type !== 'branch') return [];
    return step.branches.map(({ filterCriteria }, index) => ({
      criteria: filterCriteria,
      path: `steps/${at}/branches/${index}/filterCriteria`,
    }));
  });
  const entry = { criteria: entryCriteria.filterCriteria, path: 'entryCriteria/filterCriteria' };
  return [entry, ...ofSteps].filter(({ criteria }) => criteria);
}

async function missingSubjects(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  { steps }: AutomationDefinition,
): Promise<string[]> {
  const without = steps.flatMap((step, index) =>
    step.type === 'email' && step.email.subject === undefined && step.email.templateId !== undefined
      ? [{ templateId: step.email.templateId, field: `steps/${index}/email/subject` }]
      : [],
  );
  const templateIds = without.map(({ templateId }) => templateId);
  const found = await deps.db.templates
    .find({ projectId: project._id, templateId: { $in: templateIds }, subject: '' }, { projection: { templateId: 1 } })
    .toArray();
  const empty = new Set(found.map(({ templateId }) => templateId));
  return without.flatMap(({ templateId, field }) =>
    empty.has(templateId) ? [`${field}: is required, because the template has none`] : [],
  );
}

async function missingSenders(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  { steps }: AutomationDefinition,
): Promise<string[]> {
  const sender = await firstSender(deps, project);
  const verified = new Map<string, boolean>();
  const isVerified = async (email: string) => {
    const domain = emailDomain(normalizeEmail(email) ?? '');
    if (!verified.has(domain)) verified.set(domain, (await findVerifiedDomain(deps, project, domain)) !== null);
    return verified.get(domain) === true;
  };
  const missing: string[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'email') continue;
    const email = step.email.senderEmail ?? sender?.email;
    const field = `steps/${index}/email/senderEmail`;
    if (email === undefined) missing.push(`${field}: is required, because the project has no sender`);
    else if (!(await isVerified(email))) missing.push(`${field}: is not on a verified domain of this project`);
  }
  return missing;
}
