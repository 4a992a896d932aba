import type { ObjectId } from 'mongodb';
import type { CallerDeps } from '../base/deps.ts';
import type { Session } from '../base/model.ts';
import { type AddressSpan, addressesOf } from './addresses.ts';
import type { PeopleDeps } from './deps.ts';
import type { Contact } from './model.ts';
import type { ProjectRules } from './project-rules.ts';

/** One change of one contact: `before` is null for a new one, `after` for a deleted one. */
export interface PublishedChange {
  before: Contact | null;
  after: Contact | null;
  /** false: the caller asked that no automation starts. */
  runWorkflow: boolean;
  /** The import that made it. */
  importId?: ObjectId | undefined;
  /** The automations that led to it; the last one made it. */
  causedBy?: readonly ObjectId[] | undefined;
}

export interface Deletion {
  contacts: Contact[];
  /** Present and former ones of these contacts. */
  addresses: AddressSpan[];
}

/** A part of the product that follows contact changes. */
interface ContactSubscriber {
  /** Writes the consequences of the change, in its transaction. */
  onChanges?(
    deps: CallerDeps,
    session: Session,
    projectId: ObjectId,
    rules: ProjectRules,
    changes: PublishedChange[],
  ): Promise<void>;
  /** The same for deleted contacts; called only when there are some. */
  onDeletions?(
    deps: CallerDeps,
    session: Session,
    projectId: ObjectId,
    deletion: Deletion,
    changes: PublishedChange[],
  ): Promise<void>;
  /** Wakes up queues after the commit. Correctness does not depend on it. */
  afterCommit?(deps: CallerDeps, projectId: ObjectId, changes: PublishedChange[]): void;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    contacts: readonly ContactSubscriber[];
  }
}

/** In the transaction of the changes. */
export async function recordContactChanges(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  rules: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const contacts = changes.flatMap(({ before, after }) => (before && !after ? [before] : []));
  const addresses = contacts.length > 0 ? await addressesOf(deps, projectId, contacts, 'erasure', session) : [];
  for (const { onDeletions, onChanges } of deps.subscribers.contacts) {
    if (contacts.length > 0) await onDeletions?.(deps, session, projectId, { contacts, addresses }, changes);
    await onChanges?.(deps, session, projectId, rules, changes);
  }
}

export function announceContactChanges(deps: PeopleDeps, projectId: ObjectId, changes: PublishedChange[]): void {
  if (changes.length === 0) return;
  for (const subscriber of deps.subscribers.contacts) subscriber.afterCommit?.(deps, projectId, changes);
}
