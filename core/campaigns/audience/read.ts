import { type Filter, type FindCursor, ObjectId } from 'mongodb';
import { parseId } from '../../base/ids.ts';
import type { Session } from '../../base/model.ts';
import { compareBytes } from '../../base/text/byte-order.ts';
import { globalListId, goesToEverybody } from '../../people/global-list.ts';
import type { Contact, StoredList } from '../../people/model.ts';
import { membersOf } from '../../people/search.ts';
import { recipientsOf } from '../definition/of-campaign.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Reached } from '../local-time/people-by-zone.ts';
import type { Campaign } from '../model.ts';

const BATCH = 2_000;

type Reader = Pick<Contact, '_id' | 'email'> & Partial<Pick<Contact, 'contactProperties'>>;
type Batches = AsyncGenerator<Reached[]>;

/** The fields of a campaign that say who gets it. */
export type Addressed = Pick<Campaign, 'projectId' | 'toLists' | 'excludeLists' | 'sendToGlobalList' | 'audience'>;

/**
 * Lists and segments less excluded ones, in the order of addresses as bytes, one contact once. One cursor for each list, each with
 * its index: one query for all of them is planned as a scan of the project. In a snapshot session they read the same moment. With the
 * property that has the zone of each person, where it is asked for.
 */
export async function* readAudience(
  deps: CampaignsDeps,
  campaign: Addressed,
  session: Session | undefined,
  zoneProperty: string | null = null,
): Batches {
  const reading = { session, zoneProperty };
  const sources = sourcesOf(campaign).map((source) => batchesOf(deps, campaign, source, reading));
  const [only] = sources;
  const people = sources.length === 1 && only ? only : merged(sources);
  yield* campaign.audience ? recipientsOf(deps, campaign, campaign.audience, people, session) : people;
}

type Source = Pick<StoredList, '_id' | 'type'>;

/** The global list has every contact, so no other list needs to be read. */
export function sourcesOf(campaign: Addressed): Source[] {
  const { audience } = campaign;
  if (audience && audience.listIds.length > 0) return audience.listIds.map((_id) => ({ type: 'list', _id }));
  if (audience || goesToEverybody(campaign))
    return [{ type: 'global', _id: globalListId({ _id: campaign.projectId }) }];
  const named = new Map(campaign.toLists.map((entry) => [entry.id, entry]));
  return [...named.values()].flatMap(({ id, type }) => {
    const _id = parseId(id);
    return _id ? [{ type, _id }] : [];
  });
}

async function* batchesOf(
  deps: CampaignsDeps,
  campaign: Addressed,
  source: Source,
  { session, zoneProperty }: { session: Session | undefined; zoneProperty: string | null },
): Batches {
  const { filter: members, hint } = membersOf({ ...source, projectId: campaign.projectId });
  const filter = { ...members, ...withoutExcluded(campaign) };
  // A field that is named `zone` would be computed for each person: that takes MongoDB half as long again.
  const projection = { email: 1, ...(zoneProperty ? { [`contactProperties.${zoneProperty}`]: 1 } : {}) };
  const options = { projection, hint, batchSize: BATCH, ...(session ? { session } : {}) };
  const cursor: FindCursor<Reader> = deps.db.contacts.find(filter, options).sort({ email: 1 });
  try {
    // The next batch is read while this one is worked on.
    for (let more = cursor.hasNext(); await more; ) {
      const found = cursor.readBufferedDocuments();
      more = cursor.hasNext();
      more.catch(() => {});
      yield found.map(zoneProperty ? withZone(zoneProperty) : person);
    }
  } finally {
    await cursor.close();
  }
}

function person({ _id, email }: Reader): Reached {
  return { contactId: _id, email };
}

function withZone(property: string): (found: Reader) => Reached {
  return ({ _id, email, contactProperties }) => ({ contactId: _id, email, zone: contactProperties?.[property] });
}

function withoutExcluded({ excludeLists }: Addressed): Filter<Contact> {
  const excluded = (type: 'list' | 'segment') =>
    excludeLists.filter((entry) => entry.type === type).map(({ id }) => new ObjectId(id));
  const [lists, segments] = [excluded('list'), excluded('segment')];
  return lists.length > 0 || segments.length > 0
    ? { $nor: [{ listIds: { $in: lists } }, { segmentIds: { $in: segments } }] }
    : {};
}

/** A batch of a source, of which the people before `next` are taken. */
interface Head {
  batches: Batches;
  batch: Reached[];
  next: number;
}

async function* merged(sources: Batches[]): Batches {
  const opened = await Promise.all(sources.map(async (batches) => refilled({ batches, batch: [], next: 0 })));
  let heads = opened.filter((head) => head !== null);
  let out: Reached[] = [];
  let last: ObjectId | null = null;
  try {
    while (heads.length > 0) {
      const head = lowest(heads);
      const person = head.batch[head.next] as Reached;
      if (!last?.equals(person.contactId)) out.push(person);
      last = person.contactId;
      head.next += 1;
      if (head.next === head.batch.length && !(await refilled(head))) heads = heads.filter((one) => one !== head);
      if (out.length < BATCH) continue;
      yield out;
      out = [];
    }
    if (out.length > 0) yield out;
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}

function lowest(heads: Head[]): Head {
  let least = heads[0] as Head;
  for (const head of heads) if (head !== least && compareBytes(emailAt(head), emailAt(least)) < 0) least = head;
  return least;
}

function emailAt({ batch, next }: Head): string {
  return (batch[next] as Reached).email;
}

/** null when the source has ended. */
async function refilled(head: Head): Promise<Head | null> {
  for (;;) {
    const { done, value } = await head.batches.next();
    if (done) return null;
    if (value.length > 0) return Object.assign(head, { batch: value, next: 0 });
  }
}
