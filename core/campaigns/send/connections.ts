import { sendClaimed } from '../../outbox/claim.ts';
import type { Verdict } from '../../outbox/ledger.ts';
import type { Connection, Mailer } from '../../outbox/relay.ts';
import { judgeDelivery } from '../../outbox/rules/judge-delivery.ts';
import { TemplateRenderError } from '../../templates/language/templates.ts';
import { ClaimAhead } from './claim-ahead.ts';
import { fail, isOver, leaveRelayAlone, mayClaim, type RangeRun } from './range-state.ts';
import { noteRelay } from './relay-status.ts';
import type { Claimed, Source } from './source.ts';

/** How often a range checks whether it may have more connections, or has to end. */
const CHECK_EVERY_MS = 100;
/** After a working relay refused one more connection, the next one is requested at a later check. */
const QUIET_MIN_MS = 20;

interface Sender {
  run: RangeRun;
  grow(): void;
}

/** The ranges that this process sends: they share its connections. */
const senders = new WeakMap<Mailer, Set<Sender>>();

/**
 * Sends the messages of the range over a fair share of the connections. Resolves when every outcome is durable; returns where to
 * resume.
 */
export async function sendOverConnections(run: RangeRun, source: Source): Promise<number | null> {
  const { mailer } = run.sending.deps;
  const ranges = senders.get(mailer) ?? new Set<Sender>();
  senders.set(mailer, ranges);
  const supply = new ClaimAhead(run, source, { pages: () => ranges.size, onQuiet: check });
  const relay = noteRelay(run);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const sender: Sender = { run, grow };
  ranges.add(sender);

  /** Rounded up: a spare connection stays with the range that has it, and is not passed back and forth. */
  function share(): number {
    const taken = [...ranges].reduce((sum, { run }) => sum + run.connections, 0);
    return Math.max(1, Math.ceil((mailer.free('campaign') + taken) / ranges.size));
  }

  /** Requests a first connection even when none is free: it waits in the queue, and has claimed nothing yet. */
  function grow(): void {
    while (
      mayClaim(run) &&
      !supply.isDone() &&
      run.connections < share() &&
      (run.connections === 0 || mailer.free('campaign') > 0)
    )
      void addConnection();
  }

  async function addConnection(): Promise<void> {
    run.connections += 1;
    try {
      const { connection, ...refused } = await mailer.acquire('campaign');
      if (connection) await useConnection(connection);
      else if ('retryMs' in refused) leaveRelayAlone(run, Math.max(QUIET_MIN_MS, refused.retryMs));
    } catch (error) {
      fail(run, error);
    }
    run.connections -= 1;
    check();
  }

  async function useConnection(connection: Connection): Promise<void> {
    try {
      await sendOver(connection, { run, supply, isTooMany: () => run.connections > share() });
    } finally {
      connection.release();
      for (const other of ranges) if (other !== sender) other.grow();
    }
  }

  function check(): void {
    relay.check();
    grow();
    if (run.connections > 0) return;
    // Nothing is sent for a while: other processes may have the claims.
    supply.giveBack();
    if (run.unwritten > 0 || supply.isClaiming()) return;
    if (isOver(run) || supply.isDone()) end();
  }

  const checking = setInterval(check, CHECK_EVERY_MS);
  check();
  await over;
  clearInterval(checking);
  ranges.delete(sender);
  for (const other of ranges) other.grow();
  // A campaign with an open claim is not over, and the next step looks at it at once.
  await Promise.all([relay.over(), run.sending.outcomes.closed()]);
  return supply.restFrom();
}

interface Over {
  run: RangeRun;
  supply: ClaimAhead;
  /** Another range has begun, and needs connections too. */
  isTooMany(): boolean;
}

/**
 * The next message is pipelined right after the final dot of the one before, so that the connection never waits for us. A
 * connection is passed on after at least one message: otherwise ranges could hand it to each other for ever.
 */
async function sendOver(connection: Connection, over: Over): Promise<void> {
  let before = Promise.resolve(true);
  do {
    const item = await over.supply.next();
    if (!item) break;
    const delivered = deliver(connection, item, over);
    const works = await before;
    before = delivered;
    if (!works) break;
  } while (!over.isTooMany());
  await before;
}

/** false: the relay takes nothing now. Never rejects: a message that cannot be sent has an outcome too. */
async function deliver(connection: Connection, item: Claimed, { run, supply }: Over): Promise<boolean> {
  const { deps, ledger } = run.sending;
  const { held, email, at, deferrals } = item;
  if (held.stopped) {
    supply.end(item, held.stopped);
    return true;
  }
  const text = await composed(run, item);
  if (typeof text !== 'string') {
    supply.end(item, text);
    return true;
  }
  let signature: string;
  try {
    signature = await run.compiled.sign(text, at);
  } catch (error) {
    supply.again(item);
    fail(run, error);
    return false;
  }
  const envelope = { from: run.compiled.returnPath(held._id), to: [email] };
  const delivery = await sendClaimed(connection, ledger, { held, envelope, bytes: signature + text });
  const { outcome, bounces } = judgeDelivery({
    lane: 'campaign',
    delivery,
    addresses: envelope.to,
    deferrals,
    elapsedMs: deps.clock.now().getTime() - at.getTime(),
    jitter: Math.random(),
    evidenceAfterMs: deps.evidence.isKnown ? deps.config.smtpEvidenceDelaySeconds * 1_000 : null,
  });
  if (delivery.kind === 'relay') leaveRelayAlone(run, Math.max(QUIET_MIN_MS, relayRetryMs(deps.mailer)));
  const isAnswered = delivery.kind === 'answered';
  if (isAnswered) run.handedOver += 1;
  if (outcome.kind === 'back') isAnswered ? supply.end(item, held.stopped ?? outcome) : supply.again(item);
  else supply.end(item, outcome, bounces);
  return delivery.kind !== 'relay';
}

/** Data that do not fit the template fail only their recipient; the campaign continues. */
async function composed({ compiled, sending }: RangeRun, item: Claimed): Promise<string | Verdict> {
  const { email, contact, at } = item;
  const messageId = item.held._id;
  try {
    return await compiled.compose({ messageId, email, contact, at });
  } catch (error) {
    const why = error instanceof TemplateRenderError ? error.message : 'it has a fault.';
    if (!(error instanceof TemplateRenderError))
      sending.deps.log.error({ err: error, message: messageId }, 'composing a mail of a campaign failed');
    return { kind: 'failed', reason: `The mail cannot be made with these data: ${why}` };
  }
}

function relayRetryMs(mailer: Mailer): number {
  return mailer.states().find(({ relay }) => relay === 'default')?.retryMs ?? 0;
}
