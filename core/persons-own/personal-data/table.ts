import type { Collections } from '../../base/collections.ts';
import { consents } from './collections/consents.ts';
import { contacts } from './collections/contacts.ts';
import { mail } from './collections/mail.ts';
import { own } from './collections/nameless.ts';
import { otherSources } from './collections/other-mail.ts';
import type { Exported, PersonalData } from './model.ts';

/**
 * Every collection of the database: how documents that name a person are found and shown to that person, and how they leave when the
 * contact is deleted; or why it names no person, or is left out. A new collection does not compile before it is here.
 */
export const personalData: Record<keyof Collections, PersonalData> = {
  ...contacts,
  ...consents,
  ...mail,
  ...otherSources,
  ...own,
};

/** The parts of the file, in its order. */
export const sections: Exported[] = Object.values(personalData).filter((entry) => 'section' in entry);
