import type { ObjectId } from 'mongodb';
import type { MailAct } from '../../people/behaviour/note.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import type { ClickSignal, Engagement } from '../messages/model.ts';

export type Mail = Pick<Message, '_id' | 'contactId' | 'campaignId' | 'automationId'>;

declare module '../../base/deps.ts' {
  interface Subscribers {
    /** Code that follows what contacts do with their mail. The same act may come again. */
    contactActs: ReadonlyArray<(deps: CallerDeps, projectId: ObjectId, acts: MailAct[]) => Promise<void>>;
  }
}

export function earlier(a: Date | undefined, b: Date): Date {
  return a && a < b ? a : b;
}

/** Acts that are new, or happened earlier than was known. */
export function actsOf(
  { _id: messageId, contactId, campaignId, automationId }: Mail,
  known: Engagement | null,
  first: Record<string, Date>,
  { clicked, byPeople }: { clicked: Map<string, Date>; byPeople: ClickSignal[] },
): MailAct[] {
  if (!contactId) return [];
  const of = { messageId, contactId, campaignId, automationId };
  const isNews = (at: Date | undefined, before: Date | undefined) => at !== undefined && (!before || at < before);
  const acts: MailAct[] = [];
  if (isNews(first.openedAt, known?.openedAt)) acts.push({ ...of, kind: 'opened', at: first.openedAt! });
  if (isNews(first.humanOpenedAt, known?.humanOpenedAt))
    acts.push({ ...of, kind: 'humanOpened', at: first.humanOpenedAt! });
  const before = new Map<string, Date>();
  for (const { url, at } of known?.clicks ?? []) before.set(url, earlier(before.get(url), at));
  for (const [url, at] of clicked) if (isNews(at, before.get(url))) acts.push({ ...of, kind: 'clicked', at, url });
  for (const { url, at } of byPeople) acts.push({ ...of, kind: 'humanClicked', at, url });
  return acts;
}

/** Of several projects. */
export async function announceActs(
  deps: MailDeps,
  effects: Array<{ acts: MailAct[]; message: Pick<Message, 'projectId'> }>,
): Promise<void> {
  const byProject = Map.groupBy(effects, ({ message }) => message.projectId.toHexString());
  for (const some of byProject.values()) {
    const acts = some.flatMap((one) => one.acts);
    if (acts.length === 0) continue;
    for (const subscriber of deps.subscribers.contactActs) await subscriber(deps, some[0]!.message.projectId, acts);
  }
}
