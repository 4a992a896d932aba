import type { ObjectId } from 'mongodb';
import { type AuthorRuleName, authorRules } from '../../schemas/author-rules.ts';
import type { Role } from '../../schemas/operations.ts';
import { type AppError, permissionDenied } from './errors.ts';

/** The member who makes a call with a session. Calls with a key have none. */
export interface Maker {
  memberId: ObjectId;
  role: Role;
}

/** The part of a call's origin that says who made it. */
export interface By {
  by?: Maker | undefined;
}

/** The call that a change comes from: when it began, and the seed of the ids that it makes. */
export interface Origin extends By {
  at: Date;
  seed: ObjectId;
}

/** The id only: when the member is removed, nothing here names the person any more. */
export interface Made {
  /** The id of a member; absent: a key made it. */
  createdBy?: ObjectId;
}

export function madeBy({ by }: By): Made {
  return by ? { createdBy: by.memberId } : {};
}

export function isAuthor({ by }: By): boolean {
  return by?.role === 'author';
}

/** Asked where it is known that a call has the effect that the rule forbids. */
export function refuseAuthor(origin: By, rule: AuthorRuleName): void {
  if (isAuthor(origin)) throw authorRefused(rule);
}

function authorRefused(rule: AuthorRuleName): AppError {
  const { may, instead } = authorRules[rule];
  return permissionDenied(
    `An author may not ${may}; ${instead}, or ask an editor.`,
    `role: author does not include to ${may}`,
  );
}
