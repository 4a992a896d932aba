import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Authenticate, Identity } from '../../core/accounts/api-keys.ts';
import { originOf, requireDomain, requireScope } from '../../core/accounts/scopes.ts';
import type { Deps } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { isSandboxAddress, readSandbox, whyNoSandbox } from '../../core/base/sandbox.ts';
import { normalizeEmail } from '../../core/base/text/addresses.ts';
import { networkOf } from '../../core/base/text/networks.ts';
import { type SubmittedMail, type SubmittedRecipient, submitMail } from '../../core/mail/accept/submission/submit.ts';
import { createHeldBytes } from '../inbound/limits.ts';
import { reply } from '../inbound/reply.ts';
import type { RateLimiter } from '../redis/rate-limit.ts';
import { ArrivingMail } from './arriving-mail.ts';
import { isRefused, replyTo } from './replies.ts';

export const MAIL_BYTES_MAX = 60 * 1024 * 1024;
/** RFC 5321 4.5.3.1.8: a server takes at least so many. */
const RECIPIENTS_MAX = 100;
/** Each costs a look at the database. */
const AUTH_FAILURES_PER_MINUTE = 10;
export const LOGIN_FIRST = '5.7.0 Log in first, over TLS: AUTH PLAIN or LOGIN with an API key as the password';
const KINDS = { to: 0, cc: 1, bcc: 2 } as const;

export interface DoorOptions {
  authenticate: Authenticate;
  limiter: RateLimiter;
  /** Bytes of mail in memory, in all and of one network. */
  bytes: number;
  bytesPerAddress: number;
}

type Known = Identity & { project: Project };

/** The steps of a session. Each of them rejects with the reply to the client. */
export function createDoor(deps: Deps, { authenticate, limiter, bytes, bytesPerAddress }: DoorOptions) {
  const held = createHeldBytes(bytes, bytesPerAddress);

  async function login({ password }: SMTPServerAuthentication, session: SMTPServerSession): Promise<{ key: string }> {
    const identity = await authenticate(password ?? '').catch((error) => {
      deps.log.warn({ err: error }, 'reading an API key failed; the login was deferred');
      throw reply(454, '4.7.0 Come back in a minute');
    });
    if (identity?.project) return { key: password ?? '' };
    const verdict = limiter.hit(`bad-login:${networkOf(session.remoteAddress)}`, AUTH_FAILURES_PER_MINUTE);
    if (!verdict.allowed) throw reply(421, '4.7.0 Too many failed logins from your address; try again in a minute');
    throw reply(535, '5.7.8 The password must be the API key of a project (AS_...); any user name will do');
  }

  /** Looked up for each mail, so that a revoked key ends within seconds. */
  async function caller(session: SMTPServerSession): Promise<Known> {
    if (!session.user) throw reply(530, LOGIN_FIRST);
    const identity = await authenticate((session.user as { key: string }).key);
    if (!identity?.project) throw reply(535, '5.7.8 The API key was revoked; log in with another one');
    requireScope(identity.apiKey, 'mails.send');
    return { ...identity, project: identity.project };
  }

  async function sender(session: SMTPServerSession): Promise<void> {
    const { apiKey } = await caller(session);
    const { allowed, resetAt } = limiter.hit(apiKey.shortId, deps.config.rateLimit);
    if (allowed) return;
    const seconds = Math.max(1, Math.ceil(resetAt - Date.now() / 1_000));
    throw reply(451, `4.7.1 Too many mails; try again in ${seconds} seconds`);
  }

  async function recipient(address: string, session: SMTPServerSession): Promise<void> {
    const { envelope } = session;
    const email = normalizeEmail(address);
    if (email === null) throw reply(553, '5.1.3 This is not an address that mail can be sent to');
    const known = envelope.rcptTo.map((one) => normalizeEmail(one.address));
    if (known.length >= RECIPIENTS_MAX && !known.includes(email))
      throw reply(452, `4.5.3 A mail has ${RECIPIENTS_MAX} recipients at most; send the others in another transaction`);
    if (!isSandboxAddress(email)) return;
    const { project } = await caller(session);
    const refusal = whyNoSandbox(email, await readSandbox(deps, project._id));
    if (refusal) throw reply(550, `5.7.1 ${refusal}`);
  }

  /** Resolves with the text of the reply, when the mail is stored. */
  async function data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { project } = await caller(session);
    const network = networkOf(session.remoteAddress);
    const mail = new ArrivingMail(deps, project, session.transmissionType);
    let own = 0;
    let fault: unknown = null;
    let isComplete = false;
    const write = async (piece: Buffer) => {
      if (stream.byteLength > MAIL_BYTES_MAX) throw tooLarge();
      if (!held.fits(network, piece.length)) throw reply(452, '4.3.1 Too much at a time; come back in a minute');
      await mail.write(piece);
      const grown = mail.heldBytes() - own;
      held.add(network, grown);
      own += grown;
    };
    try {
      // Always read to the end, since the answer comes after the final dot. Rejects only when the connection ends before.
      for await (const piece of stream as AsyncIterable<Buffer>) {
        if (fault !== null) continue;
        await write(piece).catch((error) => {
          fault = error;
        });
      }
      isComplete = true;
      if (fault !== null) throw fault;
      if (stream.sizeExceeded) throw tooLarge();
      return await take(mail, session);
    } catch (error) {
      // The file of a mail that may be queued is left to its note.
      if (!isComplete || isRefused(error)) await mail.file.discard().catch(() => {});
      throw isComplete ? error : reply(451, '4.4.2 The connection ended within the mail');
    } finally {
      held.add(network, -own);
    }
  }

  async function take(arrived: ArrivingMail, session: SMTPServerSession): Promise<string> {
    const { named, ...mail } = await arrived.end();
    const { apiKey, project } = await caller(session);
    requireDomain(apiKey, { from: mail.from });
    const submitted: SubmittedMail = { ...mail, recipients: recipientsOf(session, named) };
    const { emailId, isNew } = await submitMail(deps, project, submitted, originOf(arrived, apiKey));
    await (isNew ? arrived.file.keep() : arrived.file.discard()).catch((error) => {
      deps.log.warn({ err: error }, 'the note of a submitted mail could not be removed; it is removed in a day');
    });
    return `2.0.0 ${emailId}`;
  }

  const refusing = <Args extends unknown[], Result>(step: (...args: Args) => Promise<Result>) => {
    return (...args: Args): Promise<Result> =>
      step(...args).catch((error) => {
        throw replyTo(error, deps.log);
      });
  };
  return { login: refusing(login), sender: refusing(sender), recipient: refusing(recipient), data: refusing(data) };
}

/** Those in To first, then Cc, then those that the header does not name. */
function recipientsOf({ envelope }: SMTPServerSession, named: Parameters<typeof kindOf>[1]): SubmittedRecipient[] {
  const emails = new Set(envelope.rcptTo.flatMap(({ address }) => normalizeEmail(address) ?? []));
  return [...emails].map((email) => kindOf(email, named)).toSorted((a, b) => KINDS[a.kind] - KINDS[b.kind]);
}

function kindOf(
  email: string,
  named: ReadonlyMap<string, { kind: 'to' | 'cc'; name: string | null }>,
): SubmittedRecipient {
  const { kind = 'bcc', name = null } = named.get(email) ?? {};
  return { email, name, kind };
}

function tooLarge(): Error {
  return reply(552, `5.3.4 A mail may have ${MAIL_BYTES_MAX} bytes`);
}
