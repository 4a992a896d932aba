import { setImmediate, setTimeout } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { AppError, unavailable } from '../core/base/errors.ts';
import { emailDomain } from '../core/base/text/addresses.ts';
import { messageIdOf } from '../core/composing/links.ts';
import { isLarge, mailBytes, type Reservation } from '../core/delivery/compose-memory.ts';
import { deliverMail } from '../core/delivery/deliver.ts';
import { type PreparedMail, prepareMails, recheck } from '../core/delivery/prepare.ts';
import type { Sending } from '../core/delivery/sending.ts';
import type { JobQueue } from '../core/jobs/queue.ts';
import { contentOf } from '../core/messages/contents.ts';
import { mailChannel } from '../core/messages/messages.ts';
import { claimMessages } from '../core/outbox/claim.ts';
import { CLAIM_MAX, type Held } from '../core/outbox/ledger.ts';
import { applyCheck, UNWRITTEN_MAX } from '../core/outbox/record-outcomes.ts';
import type { Acquired, Connection, Lane } from '../core/outbox/relay.ts';
import { settleOrphans } from '../core/outbox/settle-orphans.ts';
import { isOrphan } from '../core/outbox/states.ts';

/** The most mails of one project that are taken before those of the next. */
const TURN_MAX = CLAIM_MAX;
const WAITING_TURNS = 4;
const GATHER_WAIT_MS = 2;
const GATHER_WAITS_MAX = 5;
/** The share of all connections that is gathered: one batch is claimed while the one before it is sent. */
const GATHERED_SHARE = 1 / 3;
const READ_AGAIN_MS = 1_000;
const FAILED_AGAIN_MS = 60_000;
const LARGE_AGAIN_MS = 1_000;
const FIRST_ID = new ObjectId('000000000000000000000000');

/** Mail that waits in documents: sent by any number of processes, with Temporal and Redis or without. */
export function mailLane(sending: Sending, lane: Exclude<Lane, 'campaign'>): JobQueue {
  const { deps, ledger, outcomes, memory } = sending;
  const { messages } = deps.db;
  /** Projects with more due mails than one turn could take. */
  const behind = new Set<string>();
  const isDue = { dueAt: { $exists: true }, $expr: { $lte: ['$dueAt', '$$NOW'] } };

  /** A DISTINCT_SCAN: one key per project, however many mails wait. */
  async function projects(now: Date): Promise<ObjectId[]> {
    const match = { lane, projectId: { $gte: FIRST_ID }, dueAt: { $lte: now } };
    const rows = await messages.aggregate([{ $match: match }, { $group: { _id: '$projectId' } }]).toArray();
    return rows.map(({ _id }) => _id as ObjectId);
  }

  /** Connections come first: no more mails are claimed than can be sent. */
  async function take(projectId: ObjectId, limit: number) {
    if (ledger.stopping || outcomes.unwritten() > UNWRITTEN_MAX) throw unavailable('Outcomes wait to be written.');
    const key = projectId.toHexString();
    const connections = await acquire(sending, lane, { most: Math.min(limit, TURN_MAX), gather: behind.has(key) });
    const runs: Array<() => Promise<void>> = [];
    const places = connections.length;
    try {
      const due = await messages
        .find({ lane, projectId, ...isDue }, { projection: { state: 1 }, sort: { dueAt: 1 }, limit: places })
        .toArray();
      const idsOf = (some: typeof due) => some.map(({ _id }) => _id);
      const orphans = idsOf(due.filter(({ state }) => isOrphan(state)));
      const open = idsOf(due.filter(({ state }) => !isOrphan(state)));
      const [held] = await Promise.all([claim(projectId, open), settle(projectId, orphans)]);
      const prepared = prepare(projectId, held);
      for (const one of held) {
        const connection = connections.pop() as Connection;
        runs.push(() => deliver(one, prepared, connection));
      }
      const more = due.length === places || orphans.length > 0;
      if (more && lane === 'automation') behind.add(key);
      else behind.delete(key);
      return { runs, more };
    } finally {
      for (const connection of connections) connection.release();
    }
  }

  async function claim(projectId: ObjectId, ids: ObjectId[]): Promise<Held[]> {
    return ids.length === 0 ? [] : (await claimMessages(deps, ledger, { projectId, ids, due: true })).held;
  }

  /** Read once for all mails that were claimed together, while the next turn is already claiming. */
  async function prepare(projectId: ObjectId, held: Held[]): Promise<Map<Held, PreparedMail>> {
    if (held.length === 0) return new Map();
    try {
      const prepared = await prepareMails(deps, projectId, held, { owner: ledger.owner, number: held[0]!.claim });
      const going = applyCheck(held, prepared.verdicts, recheck(deps, projectId, prepared), outcomes);
      const mayGo = new Set(going);
      return new Map(prepared.mails.filter((mail) => mayGo.has(mail.held)).map((mail) => [mail.held, mail]));
    } catch (error) {
      deps.log.warn({ err: error, lane }, 'reading claimed mails failed; returning the claims');
      for (const one of held) void outcomes.write({ held: one, outcome: { kind: 'back', delayMs: READ_AGAIN_MS } });
      return new Map();
    }
  }

  /**
   * The transactional lane takes no new mail before the last outcome is durable: a crash repeats one mail per connection at most.
   * In the automation lane the connection takes the next mail while the outcome is written.
   */
  async function deliver(
    held: Held,
    prepared: Promise<Map<Held, PreparedMail>>,
    connection: Connection,
  ): Promise<void> {
    const mail = (await prepared).get(held);
    if (!mail) return connection.release();
    const place = await reserve(mail, connection);
    if (!place) {
      connection.release();
      return outcomes.write({ held, outcome: { kind: 'back', delayMs: LARGE_AGAIN_MS } });
    }
    return new Promise((resolve) => {
      const over = () => {
        place.reservation.release();
        place.connection.release();
        resolve();
      };
      const onSent = lane === 'automation' ? over : place.reservation.release;
      deliverMail(sending, mail, place.connection, onSent)
        .catch((error) => {
          deps.log.error({ err: error, message: held._id }, 'delivering a mail failed; retrying');
          return outcomes.write({ held, outcome: { kind: 'back', delayMs: FAILED_AGAIN_MS } });
        })
        .then(over);
    });
  }

  /** A large mail waits without a connection, so that small ones are not held up. Null: the claim has to be returned. */
  async function reserve(
    { content }: PreparedMail,
    connection: Connection,
  ): Promise<{ connection: Connection; reservation: Reservation } | null> {
    const bytes = mailBytes(content);
    const taken = memory.take(bytes);
    if (taken) return { connection, reservation: taken };
    if (isLarge(bytes)) connection.release();
    const reservation = await memory.wait(bytes);
    if (!reservation || !isLarge(bytes)) return reservation && { connection, reservation };
    const acquired = await deps.mailer.acquire(lane);
    if (acquired.connection) return { connection: acquired.connection, reservation };
    reservation.release();
    return null;
  }

  async function settle(projectId: ObjectId, ids: ObjectId[]): Promise<void> {
    if (ids.length === 0) return;
    const settled = await settleOrphans(deps, ledger, {
      projectId,
      ids,
      messageIdOf: (id) => messageIdFor(projectId, id),
    });
    deps.log.warn({ lane, projectId, ...settled }, 'settled orphaned mails');
  }

  async function messageIdFor(projectId: ObjectId, messageId: ObjectId): Promise<string | null> {
    const message = await messages.findOne({ _id: messageId, projectId });
    const content = message && (await contentOf(deps, message));
    return content ? `<${messageIdOf({ messageId, copy: message.copy }, emailDomain(content.from.email))}>` : null;
  }

  // The connections are the limit, and are waited for inside a turn: so a few turns may wait in addition to those in progress.
  const concurrencyMax = deps.config.smtpMaxConnections + WAITING_TURNS * TURN_MAX;
  return { name: mailChannel(lane), concurrencyMax, turnMax: TURN_MAX, projects, take };
}

/**
 * Waits for one connection, and then takes those that are free: connections are released in groups, as outcomes are written. A
 * turn that has some does not wait for more, since all turns could wait for ever. Behind a backlog a few milliseconds are well
 * spent, as claim and check cost the same for one mail as for all.
 */
async function acquire(
  { deps: { mailer, config } }: Sending,
  lane: Lane,
  { most, gather }: { most: number; gather: boolean },
): Promise<Connection[]> {
  const first = await mailer.acquire(lane);
  if (!first.connection) throw new AppError('unavailable', `The relay takes no mail now (${first.fault.reason}).`);
  await setImmediate();
  const enough = Math.min(most - 1, Math.floor(config.smtpMaxConnections * GATHERED_SHARE));
  for (let waits = gather ? GATHER_WAITS_MAX : 0; waits > 0 && mailer.free(lane) < enough; waits -= 1)
    await setTimeout(GATHER_WAIT_MS);
  const asked: Promise<Acquired>[] = [];
  while (asked.length + 1 < most && mailer.free(lane) > 0) asked.push(mailer.acquire(lane));
  const others = await Promise.all(asked);
  return [first.connection, ...others.flatMap(({ connection }) => connection ?? [])];
}
