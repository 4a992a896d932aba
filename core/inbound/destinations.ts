import { isIP } from 'node:net';
import type { ObjectId } from 'mongodb';
import { emailDomain, normalizeDomain } from '../base/text/addresses.ts';
import { requestDomainCheck } from '../domains/domains.ts';
import type { Domain } from '../domains/model.ts';
import { mailFromName } from '../domains/rules/records.ts';
import { readMailLocalPart, type UnsubscribeAddressRef } from '../mail/compose/tokens.ts';
import type { MailRef } from '../mail/feedback/bounces.ts';
import type { InboundDeps } from './deps.ts';

/** The destination of a mail to one of our addresses. */
export type Destination =
  | { kind: 'bounce'; ref: MailRef }
  | { kind: 'unsubscribe'; ref: UnsubscribeAddressRef }
  /** fbl@, abuse@ and postmaster@ of this server: feedback reports, and letters of people. */
  | { kind: 'feedback' }
  | { kind: 'mailbox'; projectId: ObjectId; domainName: string; isBlocked: boolean; address: string };

type Judged = Destination | { refused: 450 | 550; message: string };

const FEEDBACK = new Set(['fbl', 'abuse', 'postmaster']);
const CHECK_EVERY_MS = 60_000;
const checked = new Map<string, number>();

/** Decided at RCPT, so that no mail is accepted that would have to be returned. */
export async function judgeRecipient(deps: InboundDeps, address: string): Promise<Judged> {
  const at = address.lastIndexOf('@');
  // RFC 5321, 4.5.1: without a domain it is the postmaster of this server.
  const localPart = (at === -1 ? address : address.slice(0, at)).toLowerCase();
  const host = at === -1 ? deps.config.mailHost : hostOf(address.slice(at + 1));
  const signed = readMailLocalPart(deps.config, localPart);
  if (signed && (await isOurs(deps, signed.projectId, host))) {
    const { kind, ...ref } = signed;
    return { kind: kind === 'b' ? 'bounce' : 'unsubscribe', ref };
  }
  const isHere = host === deps.config.mailHost;
  if (FEEDBACK.has(localPart) && (isHere || (await isOfReturnPaths(deps, host)))) return { kind: 'feedback' };
  if (isHere) return { refused: 550, message: '5.1.1 There is no such address' };
  return mailboxOf(deps, `${localPart}@${host}`);
}

/**
 * Letters to postmaster@, abuse@ and fbl@ of this server are kept as mail to POSTMASTER_TO. unread: it is not set, so they would
 * stay unread. later: its domain takes no mail now.
 */
export async function withPostmaster(
  deps: InboundDeps,
  destinations: readonly Destination[],
): Promise<Destination[] | 'unread' | 'later'> {
  const others = destinations.filter(({ kind }) => kind !== 'feedback');
  if (others.length === destinations.length) return others;
  const { postmasterTo } = deps.config;
  if (postmasterTo === '') return others.length > 0 ? others : 'unread';
  const mailbox = await mailboxOf(deps, postmasterTo);
  if (!('refused' in mailbox)) return [...others, mailbox];
  deps.log.error({ postmasterTo, reply: mailbox.message }, 'POSTMASTER_TO takes no mail; a letter to it was deferred');
  return 'later';
}

/**
 * Only one project at a time has a name verified, so one project receives its mail. A project that lost its verification still receives,
 * until another project has verified the name: mail of the new owner is not for the former one.
 */
async function mailboxOf(deps: InboundDeps, address: string): Promise<Judged> {
  const domainName = emailDomain(address);
  const enabled = await deps.db.domains
    .find({ domainName, inboundEnabledAt: { $type: 'date' } }, { hint: 'inbound' })
    .toArray();
  const [domain] = enabled.toSorted((a, b) => rank(b) - rank(a));
  if (!domain || (await isVerifiedElsewhere(deps, domain)))
    return { refused: 550, message: '5.1.2 Mail for this domain is not taken here' };
  const { projectId, inboundDomainVerifiedAt, seeded } = domain;
  if (inboundDomainVerifiedAt || seeded)
    return { kind: 'mailbox', projectId, domainName, isBlocked: domain.verificationStatus !== 'VERIFIED', address };
  await checkInboundNow(deps, domain);
  return { refused: 450, message: '4.2.1 The MX record of this domain is being checked; come back in a minute' };
}

async function isVerifiedElsewhere(
  { db }: InboundDeps,
  { projectId, domainName, ...domain }: Domain,
): Promise<boolean> {
  if (domain.verificationStatus === 'VERIFIED') return false;
  const other = { domainName, verificationStatus: 'VERIFIED', projectId: { $ne: projectId } } as const;
  return (await db.domains.findOne(other, { projection: { _id: 1 }, hint: 'verified_once' })) !== null;
}

function rank({ verificationStatus, inboundDomainVerifiedAt }: Domain): number {
  return (verificationStatus === 'VERIFIED' ? 2 : 0) + (inboundDomainVerifiedAt ? 1 : 0);
}

/** The waiting mail shows that the record exists; the check runs once a minute, however much mail arrives. */
async function checkInboundNow(deps: InboundDeps, domain: Domain): Promise<void> {
  const key = domain._id.toHexString();
  const now = performance.now();
  if (now - (checked.get(key) ?? Number.NEGATIVE_INFINITY) < CHECK_EVERY_MS) return;
  if (checked.size > 10_000) checked.clear();
  checked.set(key, now);
  await requestDomainCheck(deps, domain);
}

/** Return paths are at this server's name, at the MAIL FROM name of a domain of the project, or at the domain itself. */
async function isOurs({ db, config }: InboundDeps, projectId: ObjectId, host: string): Promise<boolean> {
  if (host === config.mailHost) return true;
  const prefix = mailFromName('');
  const names = [host, ...(host.startsWith(prefix) ? [host.slice(prefix.length)] : [])];
  const found = await db.domains.findOne({ projectId, domainName: { $in: names } }, { projection: { _id: 1 } });
  return found !== null;
}

/** A bounce.example.com to which a verified domain lets its mail return. */
async function isOfReturnPaths({ db }: InboundDeps, host: string): Promise<boolean> {
  const prefix = mailFromName('');
  if (!host.startsWith(prefix)) return false;
  const domain = { domainName: host.slice(prefix.length), verificationStatus: 'VERIFIED' } as const;
  return (await db.domains.findOne(domain, { projection: { _id: 1 }, hint: 'verified_once' })) !== null;
}

/** [127.0.0.1] means the address itself. */
function hostOf(text: string): string {
  const literal = /^\[(?:IPv6:)?(.+)\]$/i.exec(text)?.[1];
  if (literal) return isIP(literal) ? literal.toLowerCase() : '';
  return normalizeDomain(text) ?? text.toLowerCase();
}
