import { expect } from 'chai';
import fc from 'fast-check';
import type { Delivery, Mailer } from '../../../core/mail/ledger/relay.ts';
import { type Judgement, judgeDelivery } from '../../../core/mail/ledger/rules/judge-delivery.ts';
import { createMailer } from '../../../platform/smtp/mailer.ts';
import { HOLD_MS_MAX } from '../../linear/cpu.ts';
import { longestHold } from '../../linear/hold.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from '../run.ts';
import {
  isDesynchronised,
  type Script,
  type ScriptedRelay,
  type Seen,
  scripts,
  startScriptedRelay,
} from './relay-scripts.ts';

const REPEATS = 3;
/** Most of a case is waiting. */
const AT_ONCE = 16;
/** Silence ends a case. */
const TIMEOUTS = { connectMs: 2_000, greetingMs: 60, commandMs: 60, bodyMs: 60, dotMs: 60 };
const MESSAGE = 'Message-ID: <1@out.test>\r\nSubject: Test\r\n\r\nHello\r\n';

interface Case {
  script: Script;
  recipients: number;
  /** Above 16 kB the message leaves in blocks. */
  isLong: boolean;
  hasLogin: boolean;
}

interface Sent {
  delivery: Delivery | null;
  judgement: Judgement | null;
  seen: Seen;
}

/**
 * A relay whose answers are malformed or hostile. Whatever it says, a mail counts as sent only when the relay answered its final dot with
 * 2xx, and one that the relay took never counts as one that can be sent again.
 */
export async function fuzzSmtpReplies({ cases, ...options }: FuzzOptions): Promise<FuzzResult> {
  const relays = await Promise.all(Array.from({ length: AT_ONCE }, startScriptedRelay));
  const faults: unknown[] = [];
  const note = (error: unknown) => faults.push(error);
  process.on('unhandledRejection', note);
  const one = fc.record<Case>({
    script: scripts,
    recipients: fc.integer({ min: 1, max: 3 }),
    isLong: fc.boolean(),
    hasLogin: fc.boolean(),
  });
  const sendAll = (inputs: Case[]) => Promise.all(inputs.map((input, index) => send(relays[index]!, input)));
  try {
    const result = await fuzz(
      `answers of a relay, ${AT_ONCE} in each case`,
      fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }),
      async (inputs) => {
        let { holdMs, result } = await longestHold(() => sendAll(inputs));
        for (let again = 0; again < REPEATS && holdMs > HOLD_MS_MAX; again++)
          holdMs = Math.min(holdMs, (await longestHold(() => sendAll(inputs))).holdMs);
        for (const [index, { script }] of inputs.entries()) if (!isDesynchronised(script)) holds(result[index]!);
        expect(faults).to.deep.equal([]);
        return holdMs;
      },
      { ...options, cases: Math.ceil(cases / AT_ONCE) },
    );
    return { ...result, cases };
  } finally {
    process.off('unhandledRejection', note);
    await Promise.all(relays.map((relay) => relay.close()));
  }
}

function holds({ delivery, judgement, seen }: Sent): void {
  if (!delivery || !judgement) {
    expect(seen.dots).to.equal(0);
    return;
  }
  const isSent = judgement.outcome.kind === 'sent' || delivery.recipients.some(({ accepted }) => accepted);
  const says = JSON.stringify({ delivery, outcome: judgement.outcome, seen });
  if (isSent) expect(seen.takes, says).to.be.at.least(1);
  if (seen.takes > 0) expect(['sent', 'unknown'], says).to.include(judgement.outcome.kind);
  expect(seen.dots, says).to.be.at.most(1);
  // The breaker holds back mails that are handed over again at once; otherwise they would repeat for ever.
  if (judgement.outcome.kind === 'back' && judgement.outcome.delayMs === 0)
    expect(delivery.kind, says).to.equal('relay');
}

async function send(relay: ScriptedRelay, { script, recipients, isLong, hasLogin }: Case): Promise<Sent> {
  const seen = relay.play(script);
  const login = hasLogin ? 'user:password@' : '';
  const url = `smtp://${login}127.0.0.1:${relay.port}/?ignoreTLS=true`;
  const mailer = createMailer({ url, connectionsMax: 4, clientName: 'test.example', timeouts: TIMEOUTS });
  try {
    return { ...(await handOver(mailer, recipients, isLong)), seen };
  } finally {
    await mailer.close(0);
  }
}

async function handOver(mailer: Mailer, recipients: number, isLong: boolean): Promise<Omit<Sent, 'seen'>> {
  const { connection } = await mailer.acquire('transactional');
  if (!connection) return { delivery: null, judgement: null };
  const to = Array.from({ length: recipients }, (_, index) => `r${index}@in.test`);
  const message = isLong ? MESSAGE + 'A line of text.\r\n'.repeat(4_000) : MESSAGE;
  const delivery = await connection.send({ from: 'b@out.test', to }, message, () => true);
  connection.release();
  const attempt = { lane: 'transactional', delivery, addresses: to, deferrals: 0, elapsedMs: 0, jitter: 0.5 } as const;
  return { delivery, judgement: judgeDelivery({ ...attempt, evidenceAfterMs: null }) };
}
