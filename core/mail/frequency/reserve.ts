import { type Document, ObjectId } from 'mongodb';
import { insertDocuments } from '../../base/database/idempotent-insert.ts';
import type { FrequencyCap } from '../../base/model.ts';
import type { MailDeps } from '../deps.ts';
import { states, UNSENT_STATES } from '../ledger/states.ts';
import { livePlaces, nextFree, placesId, windowStart } from './cap.ts';
import type { FrequencyPlaces, Place } from './model.ts';

interface CappedMail {
  mailId: ObjectId;
  /** Normal form. */
  email: string;
}

interface Window {
  projectId: ObjectId;
  cap: FrequencyCap;
  since: Date;
}

type Wish = FrequencyPlaces & { places: [Place] };

/**
 * Reserves a place for each of these claimed mails. Returns those that get none, by id, with the time at which one is free.
 *
 * A mail that has a place keeps it, so a repeat takes no second one. None is given back: when an address has no room, the ledger says
 * which of its mails were not sent after all, and their places are free.
 */
export async function reservePlaces(
  deps: MailDeps,
  projectId: ObjectId,
  cap: FrequencyCap,
  mails: readonly CappedMail[],
): Promise<Map<string, Date>> {
  const now = deps.clock.now();
  const window = { projectId, cap, since: windowStart(cap, now) };
  const wishes = mails.map(({ mailId, email }): Wish => {
    const place = { _id: new ObjectId(), mailId, at: now };
    return { _id: placesId(projectId, email), projectId, places: [place] };
  });
  const refused = new Map<string, Date>();
  for (const round of rounds(wishes)) {
    let open = round;
    while (open.length > 0 && !(await takeAll(deps, window, open))) open = await judge(deps, window, open, refused);
  }
  return refused;
}

/** Several mails to one address follow one after the other. */
function rounds(wishes: Wish[]): Wish[][] {
  const made: Wish[][] = [];
  const taken = new Map<string, number>();
  for (const wish of wishes) {
    const key = wish._id.toHexString();
    const round = taken.get(key) ?? 0;
    taken.set(key, round + 1);
    made[round] ??= [];
    made[round].push(wish);
  }
  return made;
}

/**
 * One update for all of them: it costs MongoDB a quarter of one update for each. true: all of them have places; that is the rule, and
 * then there is nothing to read.
 */
async function takeAll({ db }: MailDeps, { projectId, cap, since }: Window, wishes: Wish[]): Promise<boolean> {
  const keys = wishes.map(({ _id }) => _id);
  const own = wishes.map(({ places: [place] }) => place);
  const isLive = { $gt: ['$$this.at', since] };
  const live = { $filter: { input: '$places', cond: isLive } };
  const hasRoom = { $expr: { $lt: [{ $size: live }, cap.mails] } };
  const others = {
    $filter: { input: '$places', cond: { $and: [isLive, { $ne: ['$$this.mailId', '$own.mailId'] }] } },
  };
  const { matchedCount } = await db.frequencyPlaces.updateMany(
    { _id: { $in: keys }, projectId, $or: [{ 'places.mailId': { $in: own.map(({ mailId }) => mailId) } }, hasRoom] },
    [
      { $set: { own: { $arrayElemAt: [{ $literal: own }, { $indexOfArray: [{ $literal: keys }, '$_id'] }] } } },
      { $set: { places: { $concatArrays: [others, ['$own']] } } },
      { $unset: 'own' },
    ] as Document[],
  );
  return matchedCount === wishes.length;
}

/** Returns those that may get a place when it is asked for again. */
async function judge(deps: MailDeps, window: Window, wishes: Wish[], refused: Map<string, Date>): Promise<Wish[]> {
  const { projectId, cap, since } = window;
  const ids = wishes.map(({ _id }) => _id);
  const found = await deps.db.frequencyPlaces
    .find({ _id: { $in: ids }, projectId }, { readPreference: 'primary' })
    .toArray();
  const byKey = new Map(found.map((one) => [one._id.toHexString(), livePlaces(one.places, since)]));
  const placesOf = ({ _id }: Wish) => byKey.get(_id.toHexString());
  const absent = wishes.filter((wish) => !placesOf(wish));
  const without = wishes.filter((wish) => placesOf(wish)?.every(({ mailId }) => !mailId.equals(wish.places[0].mailId)));
  const [inserted, unsent] = await Promise.all([
    insertDocuments(deps, deps.db.frequencyPlaces.collectionName, absent),
    freeUnsent(
      deps,
      projectId,
      without.map((wish) => ({ _id: wish._id, places: placesOf(wish)! })),
    ),
  ]);
  const again = inserted.map((index) => absent[index]!);
  for (const wish of without) {
    const places = placesOf(wish)!;
    const left = places.filter(({ _id }) => !unsent.has(_id.toHexString()));
    if (left.length < cap.mails) again.push(wish);
    else refused.set(wish.places[0].mailId.toHexString(), nextFree(left, cap));
  }
  return again;
}

type Held = Pick<FrequencyPlaces, '_id' | 'places'>;

/**
 * Removes the places of mails that were not sent and are not in flight: suppressed, failed, cancelled, or back in the queue. A recipient
 * without a row is in flight. A place that its mail has taken again since it was read has another id, and stays.
 */
async function freeUnsent({ db }: MailDeps, projectId: ObjectId, held: Held[]): Promise<Set<string>> {
  const places = held.flatMap((one) => one.places);
  const mailIds = places.map(({ mailId }) => mailId);
  if (mailIds.length === 0) return new Set();
  const state = { $in: [...UNSENT_STATES, states.queued] };
  const rows = await db.messages
    .find({ _id: { $in: mailIds }, projectId, state }, { projection: { _id: 1 }, readPreference: 'primary' })
    .toArray();
  const unsent = new Set(rows.map(({ _id }) => _id.toHexString()));
  const free = places.filter(({ mailId }) => unsent.has(mailId.toHexString())).map(({ _id }) => _id);
  if (free.length > 0)
    await db.frequencyPlaces.updateMany(
      { _id: { $in: held.map(({ _id }) => _id) }, projectId },
      { $pull: { places: { _id: { $in: free } } } },
    );
  return new Set(free.map((id) => id.toHexString()));
}
