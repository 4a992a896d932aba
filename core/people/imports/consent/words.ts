/** How this product and others name the state of consent in their exports: only data. */

export const STATES = ['subscribed', 'unsubscribed', 'bounced', 'complained'] as const;
export type ConsentStatus = (typeof STATES)[number];

const TEXTS = ['status', 'groups', 'consentText', 'consentAddress'] as const;
const DATES = [
  ...(['subscribedAt', 'unsubscribedAt', 'bouncedAt', 'complainedAt'] as const),
  ...(['consentAskedAt', 'consentConfirmedAt'] as const),
] as const;
/** Fields of a row of NDJSON, and what columns of a CSV file become. */
export const STATE_FIELDS = [...TEXTS, ...DATES] as const;
export type StateField = (typeof STATE_FIELDS)[number];
export type DateField = (typeof DATES)[number];

/** Without capitals, spaces, underscores and hyphens; the names of the fields themselves are known too. */
const COLUMN_NAMES: Partial<Record<StateField, readonly string[]>> = {
  status: [
    ...['subscriptionstatus', 'subscriberstatus', 'emailstatus', 'emailmarketingstatus', 'emailmarketingconsent'],
    ...['emailsubscriberstatus', 'memberstatus', 'optinstatus', 'consentstatus'],
  ],
  groups: ['suppressiongroups', 'unsubscribegroups'],
  subscribedAt: ['subscribedon', 'subscribedate', 'dateadded', 'datejoined', 'subscribeddate', 'subscriptiondate'],
  unsubscribedAt: [
    'unsubtime',
    'unsubscribedon',
    'unsubscribedate',
    'unsubscribeddate',
    'optoutdate',
    'dateunsubscribed',
  ],
  bouncedAt: ['cleantime', 'bouncedon', 'bouncedate', 'bounceddate', 'datebounced'],
  complainedAt: ['complainedon', 'complaintdate', 'spamreportedat'],
  consentAskedAt: ['optintime', 'optindate', 'optedinat', 'optinat'],
  consentConfirmedAt: ['confirmtime', 'confirmationtime'],
  consentAddress: ['confirmip', 'consentip'],
};

/** Columns that answer yes or no to one question. */
const FLAG_NAMES: Readonly<Record<string, 'yes means subscribed' | 'yes means unsubscribed'>> = {
  subscribed: 'yes means subscribed',
  issubscribed: 'yes means subscribed',
  subscribedtoemails: 'yes means subscribed',
  acceptsemailmarketing: 'yes means subscribed',
  unsubscribed: 'yes means unsubscribed',
  isunsubscribed: 'yes means unsubscribed',
  optedout: 'yes means unsubscribed',
  emailoptout: 'yes means unsubscribed',
  emailblacklisted: 'yes means unsubscribed',
  emailblocklisted: 'yes means unsubscribed',
};

/** People who never agreed, or have not confirmed, may not be mailed either: they are kept as unsubscribed. */
const STATUS_NAMES: Record<ConsentStatus, readonly string[]> = {
  subscribed: ['subscribed', 'active', 'enabled', 'confirmed', 'optedin', 'optin'],
  unsubscribed: [
    ...[
      'unsubscribed',
      'unsubscribe',
      'unsub',
      'blocklisted',
      'blacklisted',
      'disabled',
      'inactive',
      'optedout',
      'optout',
    ],
    ...['cancelled', 'canceled', 'removed', 'deleted', 'archived', 'suppressed'],
    ...['nonsubscribed', 'notsubscribed', 'neversubscribed', 'nosubscription', 'transactional'],
    ...['pending', 'unconfirmed', 'notconfirmed', 'unactivated'],
  ],
  bounced: ['bounced', 'bounce', 'hardbounced', 'hardbounce', 'cleaned', 'held', 'invalid', 'undeliverable'],
  complained: [
    'complained',
    'complaint',
    'complainer',
    'spam',
    'junk',
    'abuse',
    'markedasspam',
    'spamcomplaint',
    'spamreport',
  ],
};

const YES = ['true', 'yes', 'y', '1'];
const NO = ['false', 'no', 'n', '0'];

const columns = new Map<string, StateField>(
  STATE_FIELDS.flatMap((field) =>
    [field, ...(COLUMN_NAMES[field] ?? [])].map((name) => [plainWord(name), field] as const),
  ),
);
const statuses = new Map<string, ConsentStatus>(
  STATES.flatMap((status) => STATUS_NAMES[status].map((name) => [name, status] as const)),
);
const flags = new Map(Object.entries(FLAG_NAMES));

export interface StateColumn {
  field: StateField;
  /** The words of a column that answers yes or no; every other word is looked up as a status. */
  words: ReadonlyMap<string, ConsentStatus> | null;
}

/** null: the column says nothing about consent. */
export function stateColumn(name: string): StateColumn | null {
  const plain = plainWord(name);
  const field = columns.get(plain);
  if (field) return { field, words: null };
  const flag = flags.get(plain);
  if (!flag) return null;
  const [positive, negative] = flag === 'yes means subscribed' ? [YES, NO] : [NO, YES];
  return {
    field: 'status',
    words: new Map([
      ...positive.map((word) => [word, 'subscribed'] as const),
      ...negative.map((word) => [word, 'unsubscribed'] as const),
    ]),
  };
}

/** null: an unknown word, which is never taken for a subscription. */
export function statusOf(word: string): ConsentStatus | null {
  return statuses.get(plainWord(word)) ?? null;
}

/** Without capitals and the marks between words. */
export function plainWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}
