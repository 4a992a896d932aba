import type { ObjectId } from 'mongodb';
import type { CallerDeps } from '../../base/deps.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import type { Ended } from '../ledger/outcomes.ts';
import { states } from '../ledger/states.ts';

/** Code that follows which contacts received which mail. Called when that may have changed, and perhaps again. */
type DeliverySubscriber = (deps: CallerDeps, projectId: ObjectId, messageIds: ObjectId[]) => Promise<void>;

declare module '../../base/deps.ts' {
  interface Subscribers {
    deliveries: readonly DeliverySubscriber[];
  }
}

export async function announceDeliveries(deps: MailDeps, projectId: ObjectId, messageIds: ObjectId[]): Promise<void> {
  if (messageIds.length === 0) return;
  for (const subscriber of deps.subscribers.deliveries) await subscriber(deps, projectId, messageIds);
}

export async function announceEnded(deps: MailDeps, ended: Ended[]): Promise<void> {
  const sent = ended.filter(({ held, outcome }) => outcome.kind === states.sent && held.about?.contactId !== undefined);
  const byProject = Map.groupBy(sent, ({ held }) => held.projectId.toHexString());
  for (const some of byProject.values())
    await announceDeliveries(
      deps,
      some[0]!.held.projectId,
      some.map(({ held }) => held._id),
    );
}

export async function announceRows(deps: MailDeps, projectId: ObjectId, rows: Message[]): Promise<void> {
  const sent = rows.filter(({ state, contactId }) => state === states.sent && contactId !== undefined);
  await announceDeliveries(
    deps,
    projectId,
    sent.map(({ _id }) => _id),
  );
}
