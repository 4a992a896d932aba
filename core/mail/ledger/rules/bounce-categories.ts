import type { Phase, Reply } from '../relay.ts';

export type BounceCategory =
  | 'none'
  | 'mailbox'
  | 'full'
  | 'temporary'
  | 'greylist'
  | 'rate'
  | 'size'
  | 'reputation'
  | 'content'
  | 'authentication'
  | 'sender'
  | 'network'
  | 'expired'
  | 'protocol'
  | 'relay'
  | 'unknown';

/** The enhanced status decides where it is specific, then known phrases of providers, then the reply code. */
export function categoryOf(reply: Reply, isPermanent: boolean, phase: Phase | 'dsn'): BounceCategory {
  if (isUnknownAtExchange(reply)) return isPermanent ? 'mailbox' : 'temporary';
  const byStatus = statusCategory(reply.enhanced, isPermanent);
  const byText = textCategory(reply.text, isPermanent);
  if (byStatus && !isVague(reply.enhanced!)) {
    // Some servers reply 5.1.1 or 5.2.1 for a sender on a block list; no address may be suppressed for that.
    return byStatus === 'mailbox' && BLOCK_LISTS.test(reply.text) ? 'reputation' : byStatus;
  }
  return byText ?? byStatus ?? codeCategory(reply.code, isPermanent, phase);
}

type Row = [pattern: RegExp, permanent: BounceCategory, temporary: BounceCategory];

/** RFC 3463 and its registry, without the first digit. */
const STATUSES: Row[] = [
  [/^1\.(1|2|3|6|10)$/, 'mailbox', 'temporary'],
  [/^1\.[78]$/, 'sender', 'sender'],
  [/^2\.1$/, 'mailbox', 'temporary'],
  [/^(2\.2|3\.1)$/, 'full', 'full'],
  [/^(2\.3|3\.4)$/, 'size', 'size'],
  [/^4\.7$/, 'expired', 'expired'],
  [/^4\./, 'network', 'network'],
  [/^5\./, 'protocol', 'temporary'],
  [/^6\./, 'content', 'content'],
  [/^7\.1[78]$/, 'mailbox', 'temporary'],
  [/^7\.(2[0-6]|515)$/, 'authentication', 'authentication'],
  [/^7\.(8|13|27)$/, 'sender', 'sender'],
  [/^7\./, 'reputation', 'reputation'],
];

/** Statuses that servers use for anything: the text is more reliable. */
const VAGUE = /^[245]\.([0-57]\.0|2\.1|4\.1|7\.1)$/;

const BLOCK_LISTS =
  /\b(black|block|deny)[- ]?list|\b(rbl|dnsbl|sbl|xbl|pbl)\b|spamhaus|spamcop|sorbs|barracuda|cloudmark|blocked (using|by)|listed (at|in|on|by)\b(?! (domino|public))|poor reputation|bad reputation|banned/i;

const PERSON = '(user|recipient|mailbox|mail box|address|addressee|account|email|e-mail|subscriber|member|local part)';
const GONE =
  "(unknown|not found|was not found|could not be found|not known|does ?n[o']t exist|do ?n[o']t exist|not exist|is not valid|is invalid|invalid|(is |has been )?(disabled|deactivated|inactive|closed|terminated|suspended|deleted|expired|discontinued|unavailable)|no longer (exists|active|available|valid|in use|accepts))";

/** Phrases of providers, the most reliable first. */
const TEXTS: Row[] = [
  [
    /relay(ing)? (access )?(denied|not (permitted|allowed)|prohibited)|not permitted to relay|unable to relay|do(es)? not relay/i,
    'sender',
    'sender',
  ],
  [
    /\b(sender|return[- ]path|mail from|from address|originator)\b.{0,40}(reject|invalid|not (found|exist|valid|allowed|verified|owned)|domain|denied|unknown)/i,
    'sender',
    'sender',
  ],
  [
    /\b(dkim|dmarc|spf)\b|unauthenticated (e-?)?mail|sender policy framework|reverse (dns|lookup|hostname)|\b(ptr|rdns)\b/i,
    'authentication',
    'authentication',
  ],
  [BLOCK_LISTS, 'reputation', 'reputation'],
  [/gr[ae]y-?list|postgrey/i, 'reputation', 'greylist'],
  [
    /over ?(the )?quota|quota (is )?(exceeded|full)|exceed\w{0,5}.{0,30}quota|(mailbox|mail box|inbox|account|user|recipient|storage).{0,30}\b(full|exceed|out of storage|over limit)|out of storage|insufficient (system |disk )?storage|disk (full|quota)/i,
    'full',
    'full',
  ],
  [
    /(message|mail|size|attachment).{0,40}(too (large|big|long)|exceeds)|exceed\w{0,5}.{0,40}\bsize|size limit/i,
    'size',
    'size',
  ],
  [
    /host or domain name not found|name service error|\bnxdomain\b|dns (error|failure|lookup)|host (unknown|not found)|no route to host|network is unreachable|connection (refused|timed ?out|reset)|no mx\b/i,
    'network',
    'network',
  ],
  [
    /(delivery|message) (time )?(has )?expired|retry time(out)?( not reached| exceeded)|too long in (the )?queue|could not be delivered (for|within)/i,
    'expired',
    'expired',
  ],
  [
    new RegExp(
      `\\bno (such|mailbox|mail box)\\b.{0,20}(${PERSON}|person|here|by that name|domain)|\\b(unknown|invalid|bad|nonexistent|non-existent) ${PERSON}\\b|\\b${PERSON}\\b.{0,60}\\b${GONE}`,
      'i',
    ),
    'mailbox',
    'temporary',
  ],
  [
    /does ?n[o']t have an? .{0,40}account|not listed in (domino|public)|unrouteable address|null ?mx|domain does not accept mail|recipientnotfound|not our customer|no one (here )?(by|with) that/i,
    'mailbox',
    'temporary',
  ],
  [
    /\bspam\b|unsolicited|\bbulk (e-?)?mail\b|virus|malware|phish|reputation|policy|content (filter|reject)|not accepted for|access denied|permission denied|not authorized|\bblocked\b|complaint|abuse/i,
    'reputation',
    'reputation',
  ],
];

/** Exchange Online says it of unknown recipients, with 5.4.1; Postfix says it with 5.7.1 of whatever a rule of its operator rejects. */
function isUnknownAtExchange({ enhanced, text }: Reply): boolean {
  return /^[45]\.4\.1$/.test(enhanced ?? '') && /recipient address rejected: access denied/i.test(text);
}

function isVague(enhanced: string): boolean {
  return VAGUE.test(enhanced);
}

function statusCategory(enhanced: string | null, isPermanent: boolean): BounceCategory | null {
  return enhanced === null ? null : find(STATUSES, enhanced.slice(2), isPermanent);
}

function textCategory(text: string, isPermanent: boolean): BounceCategory | null {
  return find(TEXTS, text, isPermanent);
}

function find(rows: Row[], subject: string, isPermanent: boolean): BounceCategory | null {
  const row = rows.find(([pattern]) => pattern.test(subject));
  return row ? row[isPermanent ? 1 : 2] : null;
}

function codeCategory(code: number, isPermanent: boolean, phase: Phase | 'dsn'): BounceCategory {
  if (!isPermanent) return 'temporary';
  if (phase === 'mail') return code === 552 ? 'size' : 'sender';
  if (code === 552) return phase === 'rcpt' ? 'full' : 'size';
  return code >= 500 && code <= 504 ? 'protocol' : 'unknown';
}
