import { normalizeEmail } from '../../core/base/text/addresses.ts';
import { withCounts } from '../../core/people/changes/counts.ts';
import type { AccountA } from '../providers/account-a.ts';
import type { AccountB } from '../providers/account-b.ts';
import type { Environment, Tenant } from '../support/environment.ts';

/** The data of a project without ids and times: two runs that end the same have the same picture. */
interface Picture {
  templates: { name: string; subject: string; html: string; isFlagged: boolean }[];
  groups: Record<string, string[]>;
  suppressedGlobally: string[];
  suppressedForMarketing: string[];
  lists: Record<string, { count: number; emails: string[] }>;
  contacts: Record<string, object>;
  fields: Record<string, string>;
}

export async function pictureOf({ deps }: Environment, { project }: Tenant): Promise<Picture> {
  const { db } = deps;
  const projectId = project._id;
  const [templates, groups, entries, lists, contacts, fields] = await Promise.all([
    db.templates.find({ projectId }).toArray(),
    db.suppressionGroups.find({ projectId }).toArray(),
    db.suppressions.find({ projectId }).toArray(),
    db.contactLists.find({ projectId, type: 'list' }).toArray(),
    db.contacts.find({ projectId }).toArray(),
    db.customFields.find({ projectId }).toArray(),
  ]);
  const counted = await withCounts(deps, projectId, lists);
  const emailsOf = (groupId: string) => entries.filter((entry) => entry.groupId === groupId).map(({ email }) => email);
  const membersOf = (id: string) => contacts.filter(({ listIds }) => listIds.some((one) => one.toHexString() === id));
  return {
    templates: sortedBy(
      templates.map(({ templateName, subject, emailTemplate, isFlagged }) => ({
        name: templateName,
        subject,
        html: emailTemplate,
        isFlagged,
      })),
      ({ name }) => name,
    ),
    groups: byName(
      groups.filter(({ isGlobal, isDefault, isMarketing }) => !isGlobal && !isDefault && !isMarketing),
      ({ name, groupId }) => [name, emailsOf(groupId).sort()],
    ),
    suppressedGlobally: emailsOf(groups.find(({ isGlobal }) => isGlobal)?.groupId ?? '').sort(),
    suppressedForMarketing: emailsOf(groups.find(({ isMarketing }) => isMarketing)?.groupId ?? '').sort(),
    lists: byName(counted, ({ _id, name, contactCount }) => {
      const emails = membersOf(_id.toHexString()).map(({ email }) => email);
      return [name, { count: contactCount, emails: emails.sort() }];
    }),
    contacts: byName(contacts, ({ email, firstName, lastName, mobile, contactProperties }) => [
      email,
      { firstName, lastName, mobile, contactProperties },
    ]),
    fields: byName(fields, ({ fieldName, fieldType }) => [fieldName, fieldType]),
  };
}

/** The same picture, worked out from the source alone. `rewrite` says what became of an image's address. */
export function expectedOfA(account: AccountA, rewrite: (html: string) => string): Omit<Picture, 'fields'> {
  const { unsubscribes, bounces, invalid_emails, spam_reports } = account.suppressions;
  const active = account.templates.flatMap(({ name, versions }) => {
    const version = versions.find((each) => each.active === 1);
    return version ? [{ name, subject: version.subject, html: rewrite(version.html), isFlagged: false }] : [];
  });
  return {
    templates: sortedBy(active, ({ name }) => name),
    suppressedGlobally: addressesOf([...bounces, ...invalid_emails, ...spam_reports]),
    suppressedForMarketing: addressesOf(unsubscribes),
    groups: byName(account.groups, ({ name, emails }) => [name, emails.map((email) => email.toLowerCase()).sort()]),
    lists: byName(account.lists, ({ id, name }) => {
      const emails = account.contacts.filter(({ listIds }) => listIds.includes(id)).map(({ email }) => email);
      return [name, { count: emails.length, emails: emails.sort() }];
    }),
    contacts: byName(account.contacts, ({ email, firstName, lastName, phone }) => [
      email,
      { firstName: firstName || null, lastName: lastName || null, mobile: phone || null, contactProperties: {} },
    ]),
  };
}

export function expectedOfB(account: AccountB): Omit<Picture, 'fields'> {
  const written = account.templates.flatMap(({ name, subject, html }) =>
    html === null ? [] : [{ name, subject: subject ?? '', html, isFlagged: html.includes('{{#each') }],
  );
  return {
    templates: sortedBy(written, ({ name }) => name),
    groups: byName(account.topics, ({ name }) => [name, []]),
    suppressedForMarketing: [],
    suppressedGlobally: account.contacts.flatMap(({ email, unsubscribed }) => (unsubscribed ? [email] : [])).sort(),
    lists: byName(account.segments, ({ id, name }) => {
      const emails = account.contacts.filter(({ segmentIds }) => segmentIds.includes(id)).map(({ email }) => email);
      return [name, { count: emails.length, emails: emails.sort() }];
    }),
    contacts: byName(account.contacts, ({ email, firstName, lastName }) => [
      email,
      { firstName, lastName, mobile: null, contactProperties: {} },
    ]),
  };
}

function addressesOf(rows: { email: string }[]): string[] {
  return [...new Set(rows.flatMap(({ email }) => normalizeEmail(email) ?? []))].sort();
}

function byName<T, V>(items: T[], entry: (item: T) => [string, V]): Record<string, V> {
  return Object.fromEntries(items.map(entry).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sortedBy<T>(items: T[], key: (item: T) => string): T[] {
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
