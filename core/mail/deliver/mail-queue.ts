import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { AppError, unavailable } from '../../base/errors.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { messageIdOf } from '../compose/links.ts';
import { claimMessages } from '../ledger/claim.ts';
import { CLAIM_MAX, type Claimed, claimedBy } from '../ledger/ledger.ts';
import { applyCheck, UNWRITTEN_MAX } from '../ledger/record-outcomes.ts';
import type { Acquired, Connection, Lane } from '../ledger/relay.ts';
import { LANE_POLICIES } from '../ledger/rules/lane-policy.ts';
import { type SettledRow, settleOrphans } from '../ledger/settle-orphans.ts';
import { contentOf } from '../messages/contents.ts';
import { announceDeliveries } from '../messages/deliveries.ts';
import { publishRows } from '../messages/events.ts';
import { mailChannel } from '../messages/messages.ts';
import { attemptDelivery } from './attempt.ts';
import { DueMails } from './due-mails.ts';
import type { Sending } from './sending.ts';
import { composeStored } from './stored/compose.ts';
import { isLarge, mailBytes, type Reservation } from './stored/compose-memory.ts';
import { type PreparedMail, prepareMails, recheck } from './stored/prepare.ts';

/** The most mails of one project that are taken before those of the next. */
const TURN_MAX = CLAIM_MAX;
const WAITING_TURNS = 4;
const READ_AGAIN_MS = 1_000;
const FAILED_AGAIN_MS = 60_000;
const LARGE_AGAIN_MS = 1_000;
const ALONE_MAX = 2;
const GATHER_WAIT_MS = 2;
const GATHER_WAITS_MAX = 5;
/** The share of all connections that is gathered: one batch is claimed while the one before it is sent. */
const GATHERED_SHARE = 1 / 3;

type Prepared = Map<Claimed, PreparedMail>;

/**
 * Mail that waits in rows with a time at which it is due: sent by any number of processes, with Temporal and Redis or without. A
 * mail of a turn goes through these steps:
 *
 * - claiming: connections come first, as many as mails are due, so no more mails are claimed than can be sent
 * - preparing: read and checked once for all mails that were claimed together, while the next turn is already claiming
 * - reserving: memory for composing; a large mail waits for it without a connection, so that small ones are not held up
 * - sending: composed and handed to the relay
 * - settling: its outcome is written; `awaitsOutcome` keeps the connection until then
 */
export class MailQueue implements JobQueue {
  readonly name: string;
  readonly turnMax = TURN_MAX;
  /** Turns at once share the free connections, and a claim of few mails costs as much as one of many. */
  readonly turnsMax = 1;
  /** The connections are the limit, and are waited for inside a turn: so a few turns may wait in addition to those in progress. */
  readonly concurrencyMax: number;
  #sending: Sending;
  #lane: Exclude<Lane, 'campaign'>;
  #due: DueMails;

  constructor(sending: Sending, lane: Exclude<Lane, 'campaign'>) {
    this.#sending = sending;
    this.#lane = lane;
    this.#due = new DueMails(sending.deps, lane, sending.ledger.now);
    this.name = mailChannel(lane);
    this.concurrencyMax = sending.deps.config.smtpMaxConnections + WAITING_TURNS * TURN_MAX;
  }

  projects = (now: Date): Promise<ObjectId[]> => this.#due.projects(now);

  take = async (projectId: ObjectId, limit: number) => {
    const { ledger, outcomes } = this.#sending;
    if (ledger.stopping || outcomes.unwritten() > UNWRITTEN_MAX) throw unavailable('Outcomes wait to be written.');
    if (!(await this.#due.mayRead())) return { runs: [], more: false };
    const wish = {
      most: Math.min(limit, TURN_MAX),
      gather: this.#lane === 'automation' && this.#due.isBehind(projectId),
    };
    const connections = [await firstConnection(this.#sending, this.#lane, wish)];
    const places = Math.min(wish.most, 1 + this.#sending.deps.mailer.free(this.#lane));
    try {
      const { orphans, open, more } = await this.#due.read(projectId, places);
      connections.push(...(await freeConnections(this.#sending, this.#lane, open.length - 1)));
      const left = this.#due.giveBack(projectId, open.splice(connections.length));
      const [held, isSettled] = await Promise.all([
        this.#claim(projectId, open),
        this.#settleOrphans(projectId, orphans),
      ]);
      const prepared = this.#prepare(projectId, held);
      const runs = held.map((one) => {
        const connection = connections.pop() as Connection;
        return () => this.#deliver(one, prepared, connection);
      });
      return { runs, more: more || left || isSettled };
    } finally {
      for (const connection of connections) connection.release();
    }
  };

  async #claim(projectId: ObjectId, ids: ObjectId[]): Promise<Claimed[]> {
    const { deps, ledger } = this.#sending;
    return ids.length === 0 ? [] : (await claimMessages(deps, ledger, { projectId, ids, due: true })).held;
  }

  async #prepare(projectId: ObjectId, held: Claimed[]): Promise<Prepared> {
    const { deps, ledger, outcomes } = this.#sending;
    if (held.length === 0) return new Map();
    try {
      const claim = { owner: ledger.owner, number: held[0]!.claim };
      const prepared = await prepareMails(deps, projectId, held, claim);
      const going = applyCheck(held, prepared.verdicts, recheck(deps, projectId, prepared), outcomes);
      const mayGo = new Set(going);
      return new Map(prepared.mails.filter((mail) => mayGo.has(mail.held)).map((mail) => [mail.held, mail]));
    } catch (error) {
      deps.log.warn({ err: error, lane: this.#lane }, 'reading claimed mails failed; returning the claims');
      for (const one of held) void outcomes.write({ held: one, outcome: { kind: 'back', delayMs: READ_AGAIN_MS } });
      return new Map();
    }
  }

  /** Resolves when the outcome is durable, or, where that is not awaited, when the relay has answered. */
  async #deliver(held: Claimed, prepared: Promise<Prepared>, connection: Connection): Promise<void> {
    const mail = (await prepared).get(held);
    if (!mail) return connection.release();
    const place = await this.#reserve(mail, connection);
    if (place) return this.#send(mail, place);
    connection.release();
    return this.#sending.outcomes.write({ held, outcome: { kind: 'back', delayMs: LARGE_AGAIN_MS } });
  }

  async #send(mail: PreparedMail, { connection, reservation }: Place): Promise<void> {
    const { deps, ledger, outcomes } = this.#sending;
    const isAlone = claimedBy(ledger) <= ALONE_MAX;
    const { takesEightBit } = connection;
    const compose = (one: PreparedMail) => composeStored(deps, { ...one, isAlone, takesEightBit });
    const ended = await attemptDelivery(this.#sending, mail, connection, compose).then(
      (attempt) => attempt.ended,
      (error) => {
        deps.log.error({ err: error, message: mail.held._id }, 'delivering a mail failed; retrying');
        return { held: mail.held, outcome: { kind: 'back' as const, delayMs: FAILED_AGAIN_MS } };
      },
    );
    reservation.release();
    const written = outcomes.write(ended);
    if (LANE_POLICIES[this.#lane].awaitsOutcome) await written;
    connection.release();
  }

  /** Null: the claim has to be returned. */
  async #reserve({ content }: PreparedMail, connection: Connection): Promise<Place | null> {
    const { deps, memory } = this.#sending;
    const bytes = mailBytes(content);
    const taken = memory.take(bytes);
    if (taken) return { connection, reservation: taken };
    if (isLarge(bytes)) connection.release();
    const reservation = await memory.wait(bytes);
    if (!reservation || !isLarge(bytes)) return reservation && { connection, reservation };
    const acquired = await deps.mailer.acquire(this.#lane);
    if (acquired.connection) return { connection: acquired.connection, reservation };
    reservation.release();
    return null;
  }

  /** False: there are none, or they are left to a later turn, since a fault must not keep claimed mail from being sent. */
  async #settleOrphans(projectId: ObjectId, ids: ObjectId[]): Promise<boolean> {
    if (ids.length === 0) return false;
    const { deps, ledger } = this.#sending;
    const messageIdFor = async (messageId: ObjectId) => {
      const message = await deps.db.messages.findOne({ _id: messageId, projectId });
      const content = message && (await contentOf(deps, message));
      // A Message-ID of the caller may be in other mails too, so it proves nothing.
      if (!content || content.raw) return null;
      return `<${messageIdOf({ messageId, copy: message.copy }, emailDomain(content.from.email))}>`;
    };
    const publish = (rows: SettledRow[]) => publishRows(deps, projectId, rows);
    try {
      const settled = await settleOrphans(deps, ledger, { projectId, ids, messageIdOf: messageIdFor, publish });
      if (settled.sent > 0) await announceDeliveries(deps, projectId, ids);
      deps.log.warn({ lane: this.#lane, projectId, ...settled }, 'settled orphaned mails');
      return true;
    } catch (error) {
      deps.log.warn({ err: error, lane: this.#lane, projectId }, 'settling orphaned mails failed; retrying');
      return false;
    }
  }
}

interface Place {
  connection: Connection;
  reservation: Reservation;
}

/**
 * Waits for one connection. Behind a backlog it then waits until more are free, since connections are released in groups, as outcomes are written,
 * and claim and check cost the same for one mail as for all. A turn that has one does not wait for others, since all turns could wait for ever.
 */
async function firstConnection(
  { deps: { mailer } }: Sending,
  lane: Lane,
  { most, gather }: { most: number; gather: boolean },
): Promise<Connection> {
  const first = await mailer.acquire(lane);
  if (!first.connection) throw new AppError('unavailable', `The relay takes no mail now (${first.fault.reason}).`);
  await setImmediate();
  const enough = Math.min(most - 1, Math.floor(mailer.limit(lane) * GATHERED_SHARE));
  for (let waits = gather ? GATHER_WAITS_MAX : 0; waits > 0 && mailer.free(lane) < enough; waits -= 1)
    await setTimeout(GATHER_WAIT_MS);
  return first.connection;
}

/** Up to `most` connections, as many as are free: a connection that no mail needs is not opened. */
async function freeConnections({ deps: { mailer } }: Sending, lane: Lane, most: number): Promise<Connection[]> {
  const asked: Promise<Acquired>[] = [];
  while (asked.length < most && mailer.free(lane) > 0) asked.push(mailer.acquire(lane));
  const acquired = await Promise.all(asked);
  return acquired.flatMap(({ connection }) => connection ?? []);
}
