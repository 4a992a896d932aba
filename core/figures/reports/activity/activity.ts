import { invalid } from '../../../base/errors.ts';
import type { Project } from '../../../base/model.ts';
import { getContact } from '../../../people/contacts/contacts.ts';
import type { FiguresDeps } from '../../deps.ts';
import { mailActivity } from './mails.ts';
import { type Activity, type Cursor, compareActivity } from './model.ts';
import { changeActivity, consentActivity, customEventActivity, suppressionActivity } from './sources.ts';

interface ActivityPage {
  entries: Activity[];
  /** Where the next page begins; null at the end. */
  next: string | null;
}

const LIMIT = 20;
/** Its parts are those of compareActivity. */
const CURSOR = /^(\d{1,15})-([0-4])-([0-9a-f]{24}(?:-\d{4})?)$/;

/** The activity of a contact, newest first. Each source is read up to the limit, or bounded in itself. */
export async function contactActivity(
  deps: FiguresDeps,
  project: Project,
  contactId: string,
  { limit = LIMIT, before }: { limit?: number | undefined; before?: string | undefined },
): Promise<ActivityPage> {
  const cursor = before === undefined ? null : readCursor(before);
  const contact = await getContact(deps, project, contactId);
  const asked = { contact, cursor, limit: limit + 1 };
  const found = await Promise.all(
    [mailActivity, customEventActivity, changeActivity, suppressionActivity, consentActivity].map((read) =>
      read(deps, asked),
    ),
  );
  const all = found
    .flat()
    .filter((entry) => !cursor || compareActivity(cursor, entry) < 0)
    .sort(compareActivity);
  const entries = all.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: last && all.length > limit ? cursorOf(last) : null };
}

function cursorOf({ at, source, key }: Cursor): string {
  return `${at.getTime()}-${source}-${key}`;
}

function readCursor(text: string): Cursor {
  const [, ms, source, key] = CURSOR.exec(text) ?? [];
  if (!ms || !source || !key)
    throw invalid(
      'Give the `next` of the page before, or nothing for the newest.',
      'before: is no `next` of an answer',
    );
  return { at: new Date(Number(ms)), source: Number(source), key };
}
