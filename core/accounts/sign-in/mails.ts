import { unavailable } from '../../base/errors.ts';
import { openSecret, SecretError } from '../../base/secrets.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import { escapeHtml } from '../../base/text/html.ts';
import { type DueOutcome, documentQueue, LEASE_MS, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { compileMessage, composeMessage } from '../../mail/compose/mime/compose.ts';
import { sendingDomain } from '../../mail/compose/sending-domain.ts';
import type { Outcome } from '../../mail/ledger/ledger.ts';
import type { Delivery, DkimKey, SendingDeps } from '../../mail/ledger/relay.ts';
import { judgeDelivery } from '../../mail/ledger/rules/judge-delivery.ts';
import type { AccountsDeps } from '../deps.ts';
import type { SignInLink } from '../model.ts';
import { type LinkSecret, linkContext, linkUrl, SIGN_IN_MAILS } from './links.ts';

const AT_ONCE_MAX = 4;
/** Redis says when a link was asked for. */
const LOOK_EVERY_MS = 1_000;
/** No final dot so long after the mail was taken, since another process may take it when the lease ends. */
const DOT_MS = LEASE_MS - 10_000;
/** A link lives for minutes, so its mail does not wait for hours. */
const AGAIN_MS_MAX = 60_000;

/**
 * Sends the mails of links. They are no messages of the ledger: nothing that reads messages, counts or events can come upon one. A
 * mail that ended without an answer is sent again with the same Message-ID, until its link has expired.
 */
export function signInMails(deps: SendingDeps<AccountsDeps>): JobQueue {
  return documentQueue<SignInLink>(deps, {
    name: SIGN_IN_MAILS,
    collection: deps.db.signInLinks,
    field: 'dueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (link) => sendLink(deps, link),
  });
}

async function sendLink(deps: SendingDeps<AccountsDeps>, link: SignInLink): Promise<DueOutcome> {
  const takenMs = performance.now();
  const secret = openLink(deps, link);
  const member = secret && (await deps.db.members.findOne({ email: secret.email }));
  if (!secret || !member || isExpired(deps, link)) return remove(deps, link);
  // Before the mail leaves, since the relay may be slow to say that it took it.
  await deps.db.signInLinks.updateOne(sameJob(link), { $set: { email: secret.email } });
  const { bytes, from } = await compose(deps, link, secret);
  const { connection, fault } = await deps.mailer.acquire('transactional');
  if (!connection) throw unavailable(`The relay takes no mail now: ${fault.reason}.`);
  const mayGo = () => performance.now() - takenMs < DOT_MS && !isExpired(deps, link);
  const delivery = await connection
    .send({ from, to: [secret.email] }, bytes, mayGo)
    .finally(() => connection.release());
  return settle(deps, link, delivery, secret.email);
}

function openLink({ config, log }: SendingDeps<AccountsDeps>, link: SignInLink): LinkSecret | null {
  try {
    return link.sealed ? JSON.parse(openSecret(config, linkContext(link), link.sealed)) : null;
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    log.error({ link: link._id, err: error }, 'a sign-in link cannot be opened, so it is not sent');
    return null;
  }
}

async function compose(deps: SendingDeps<AccountsDeps>, link: SignInLink, { email, token }: LinkSecret) {
  const { consoleFrom: from, publicUrl } = deps.config;
  const url = linkUrl(deps, token);
  const { host } = new URL(publicUrl);
  const lines = [
    `Open this link and press the button to sign in to Everpost at ${host}:`,
    'It works once, within 15 minutes. If you did not ask for it, you need not do anything.',
  ] as const;
  const html = `<p>${escapeHtml(lines[0])}</p>\n<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>\n<p>${lines[1]}</p>\n`;
  const skeleton = compileMessage({
    from: { email: from, name: 'Everpost' },
    subject: ['Sign in to Everpost'],
    text: [`${lines[0]}\n\n${url}\n\n${lines[1]}\n`],
    html: [html],
    automatic: true,
    boundary: link._id.toHexString(),
  });
  const messageId = `${link._id.toHexString()}@${emailDomain(from)}`;
  const text = composeMessage(skeleton, { to: [{ email, name: null }], messageId, date: link.createdAt });
  const keys = await dkimKeys(deps, emailDomain(from));
  return { from, bytes: keys.length === 0 ? text : deps.signer.signNow(text, keys, link.createdAt) + text };
}

/** The mail is the installation's own, so the domain may be of any project; one at a time has it verified. */
async function dkimKeys(deps: SendingDeps<AccountsDeps>, domainName: string): Promise<DkimKey[]> {
  const domain = await deps.db.domains.findOne({ domainName, verificationStatus: 'VERIFIED' });
  return (domain && (await sendingDomain(deps, domain.projectId, domainName))?.keys) ?? [];
}

async function settle(
  deps: SendingDeps<AccountsDeps>,
  link: SignInLink,
  delivery: Delivery,
  email: string,
): Promise<DueOutcome> {
  const { clock, log } = deps;
  if (delivery.kind === 'relay') throw unavailable(`The relay takes no mail now: ${delivery.fault?.reason}.`);
  const attempt = { deferrals: link.attempts ?? 0, elapsedMs: 0, jitter: Math.random(), evidenceAfterMs: null };
  const { outcome } = judgeDelivery({ ...attempt, lane: 'transactional', delivery, addresses: [email] });
  const delayMs = delayOf(outcome);
  if (outcome.kind !== 'sent')
    log.warn({ link: link._id, outcome: outcome.kind, code: codeOf(outcome) }, 'a sign-in mail did not leave');
  if (delayMs !== null) return repeat(deps, link, new Date(clock.now().getTime() + Math.min(delayMs, AGAIN_MS_MAX)));
  await deps.db.signInLinks.updateOne(sameJob(link), { $unset: { sealed: '', dueAt: '', dueAtBy: '' } });
  return settled;
}

function delayOf(outcome: Outcome): number | null {
  if (outcome.kind === 'deferred' || outcome.kind === 'back') return outcome.delayMs;
  return outcome.kind === 'unknown' ? outcome.retryMs : null;
}

/** Without the relay's words, which may quote the address. */
function codeOf(outcome: Outcome): number | null {
  return ('reply' in outcome && outcome.reply?.code) || null;
}

async function repeat({ db }: SendingDeps<AccountsDeps>, link: SignInLink, dueAt: Date): Promise<DueOutcome> {
  await db.signInLinks.updateOne(sameJob(link), { $set: { dueAt }, $inc: { attempts: 1 } });
  return settled;
}

async function remove({ db }: SendingDeps<AccountsDeps>, link: SignInLink): Promise<DueOutcome> {
  await db.signInLinks.deleteOne(sameJob(link));
  return settled;
}

function isExpired({ clock }: SendingDeps<AccountsDeps>, { expiresAt }: SignInLink): boolean {
  return expiresAt !== undefined && expiresAt <= clock.now();
}

/** While this process has the lease. */
function sameJob({ _id, projectId, dueAt }: SignInLink) {
  return { _id, projectId, dueAt };
}
