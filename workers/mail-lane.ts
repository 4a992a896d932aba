import { ObjectId } from 'mongodb';
import type { DueKind } from '../core/due.ts';
import { AppError, unavailable } from '../core/errors.ts';
import { CLAIM_MAX } from '../core/ledger.ts';
import { claimMessages, type Held } from '../core/ledger-claims.ts';
import { orphanStates, settleOrphans } from '../core/ledger-orphans.ts';
import { applyLook, UNWRITTEN_MAX } from '../core/ledger-outcomes.ts';
import { deliverMail } from '../core/mail-delivery.ts';
import { lookAgainAt, type PreparedMail, prepareMails } from '../core/mail-preparing.ts';
import type { Connection, Lane } from '../core/mailer.ts';
import { messageIdOf } from '../core/message-links.ts';
import { mailChannel } from '../core/messages.ts';
import type { MessageState } from '../core/model.ts';
import { emailDomain } from '../core/rules/addresses.ts';
import type { Sending } from '../core/sending.ts';

/** Turns of one project before the others have theirs. */
const TURN_MAX = CLAIM_MAX;
const FIRST_ID = new ObjectId('000000000000000000000000');

/** Mail that waits in documents: sent by any number of processes, with Temporal and Redis or without. */
export function mailLane(sending: Sending, lane: Exclude<Lane, 'campaign'>): DueKind {
  const { deps, ledger, outcomes } = sending;
  const { messages } = deps.db;
  const isDue = { dueAt: { $exists: true }, $expr: { $lte: ['$dueAt', '$$NOW'] } };

  /** A DISTINCT_SCAN: one key a project, however many mails wait. */
  async function projects(now: Date): Promise<ObjectId[]> {
    const match = { lane, projectId: { $gte: FIRST_ID }, dueAt: { $lte: now } };
    const rows = await messages.aggregate([{ $match: match }, { $group: { _id: '$projectId' } }]).toArray();
    return rows.map(({ _id }) => _id as ObjectId);
  }

  /** Connections first: no more is claimed than can be handed over. */
  async function take(projectId: ObjectId, limit: number) {
    if (ledger.stopping || outcomes.unwritten() > UNWRITTEN_MAX) throw unavailable('Outcomes wait to be written.');
    const connections = await acquire(sending, lane, Math.min(limit, TURN_MAX));
    const runs: Array<() => Promise<void>> = [];
    const places = connections.length;
    try {
      const due = await messages
        .find({ lane, projectId, ...isDue }, { projection: { state: 1 }, sort: { dueAt: 1 }, limit: places })
        .toArray();
      const isOrphan = ({ state }: { state: MessageState }) =>
        (orphanStates as readonly MessageState[]).includes(state);
      const [orphans, open] = [due.filter(isOrphan), due.filter((one) => !isOrphan(one))].map((some) =>
        some.map(({ _id }) => _id),
      ) as [ObjectId[], ObjectId[]];
      const [mails] = await Promise.all([claim(projectId, open), settle(projectId, orphans)]);
      for (const mail of mails) {
        const connection = connections.pop() as Connection;
        runs.push(() => deliver(mail, connection));
      }
      return { runs, more: due.length === places || orphans.length > 0 };
    } finally {
      for (const connection of connections) connection.release();
    }
  }

  async function claim(projectId: ObjectId, ids: ObjectId[]): Promise<PreparedMail[]> {
    if (ids.length === 0) return [];
    const { held, number } = await claimMessages(deps, ledger, { projectId, ids, due: true });
    if (held.length === 0) return [];
    try {
      const prepared = await prepareMails(deps, projectId, held, { owner: ledger.owner, number });
      const going = applyLook(held, prepared.verdicts, lookAgainAt(deps, projectId, prepared), outcomes);
      const mayGo = new Set(going);
      return prepared.mails.filter((mail) => mayGo.has(mail.held));
    } catch (error) {
      giveBack(held);
      throw error;
    }
  }

  function giveBack(held: Held[]): void {
    for (const one of held) void outcomes.write({ held: one, outcome: { kind: 'back', delayMs: 0 } });
  }

  /**
   * The transactional lane takes no new mail before the last outcome is durable: a crash repeats one mail a connection at most.
   * In the other one the connection goes on while the outcome is written.
   */
  function deliver(mail: PreparedMail, connection: Connection): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        connection.release();
        resolve();
      };
      const onSent = lane === 'automation' ? over : () => undefined;
      deliverMail(sending, mail, connection, onSent)
        .catch((error) => {
          deps.log.error({ err: error, message: mail.message._id }, 'a mail could not be delivered; it is tried again');
          return outcomes.write({ held: mail.held, outcome: { kind: 'back', delayMs: 60_000 } });
        })
        .then(over);
    });
  }

  async function settle(projectId: ObjectId, ids: ObjectId[]): Promise<void> {
    if (ids.length === 0) return;
    const settled = await settleOrphans(deps, ledger, { projectId, ids, messageIdOf: (id) => knownAs(projectId, id) });
    deps.log.warn({ lane, projectId, ...settled }, 'mails of unknown outcome were settled');
  }

  async function knownAs(projectId: ObjectId, messageId: ObjectId): Promise<string | null> {
    const message = await messages.findOne({ _id: messageId, projectId }, { projection: { contentId: 1 } });
    const content = message?.contentId && (await deps.db.contents.findOne({ _id: message.contentId, projectId }));
    return content ? `<${messageIdOf({ messageId }, emailDomain(content.from.email))}>` : null;
  }

  return { name: mailChannel(lane), concurrencyMax: deps.config.smtpMaxConnections, turnMax: TURN_MAX, projects, take };
}

/** At least one, waited for; further ones only while they are free, since who waits for one and holds others could wait for ever. */
async function acquire({ deps: { mailer } }: Sending, lane: Lane, count: number): Promise<Connection[]> {
  const asked = [mailer.acquire(lane)];
  while (asked.length < count && mailer.free(lane) > 0) asked.push(mailer.acquire(lane));
  const acquired = await Promise.all(asked);
  const connections = acquired.flatMap(({ connection }) => connection ?? []);
  if (connections.length > 0) return connections;
  const fault = acquired[0]!.fault;
  throw new AppError('unavailable', `The relay takes no mail now (${fault?.reason ?? 'unknown'}).`);
}
