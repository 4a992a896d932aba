import { storedTags } from '../../core/base/text/tags.ts';
import { timeAhead } from '../../core/mail/messages/scheduled/time.ts';
import { reply } from '../inbound/reply.ts';

/** The options that a mail carries in headers of its own. They are removed before it leaves. */
export interface MailOptions {
  groupId: string | null;
  idempotencyKey: string | null;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** "name:value" of each. */
  tags: string[];
  /** null: at once. */
  sendAt: Date | null;
}

type Fields = readonly { name: string; value: string }[];

export const OPTION_PREFIX = 'x-everpost-';
export const KEY_HEADER = 'idempotency-key';
const GROUP = 'x-everpost-group';
const TRACK = 'x-everpost-track';
const TAG = 'x-everpost-tag';
const SEND_AT = 'x-everpost-send-at';
const KNOWN = [GROUP, TRACK, TAG, SEND_AT];
const TAG_FORM = /^([\w-]{1,64})=([\w-]{1,64})$/;
const TAGS_MAX = 10;
const KEY_FORM = /^[\x20-\x7e]{1,256}$/;
const GROUP_LENGTH_MAX = 64;
const TRACKED = ['opens', 'clicks', 'none'];

/** Throws the reply to a mail whose options cannot be taken. */
export function readOptions(fields: Fields, now: Date): MailOptions {
  for (const { name } of fields)
    if (name.startsWith(OPTION_PREFIX) && !KNOWN.includes(name))
      throw reply(554, `5.6.0 The header ${name.slice(0, 64)} is not known; ${KNOWN.join(', ')} are`);
  const groupId = only(fields, GROUP);
  if (groupId !== null && (groupId === '' || groupId.length > GROUP_LENGTH_MAX))
    throw reply(554, '5.6.0 X-Everpost-Group must be the id of a suppression group');
  const idempotencyKey = only(fields, KEY_HEADER);
  if (idempotencyKey !== null && !KEY_FORM.test(idempotencyKey))
    throw reply(554, '5.6.0 Idempotency-Key must be 1 to 256 printable ASCII characters');
  const tracked = readTracked(only(fields, TRACK) ?? 'none');
  return {
    groupId,
    idempotencyKey,
    trackingOpen: tracked.includes('opens'),
    trackingClick: tracked.includes('clicks'),
    tags: readTags(fields),
    sendAt: readSendAt(only(fields, SEND_AT), now),
  };
}

/** A mail that is handed over again after its time, or waited for it in a queue on the way here, is no mistake of its sender. */
function readSendAt(value: string | null, now: Date): Date | null {
  const at = value === null ? null : timeAhead(value, now, 'X-Everpost-Send-At');
  return at && at > now ? at : null;
}

function readTags(fields: Fields): string[] {
  const values = fields.flatMap(({ name, value }) => (name === TAG ? [value] : []));
  if (values.length > TAGS_MAX) throw reply(554, `5.6.0 A mail has ${TAGS_MAX} tags at most`);
  const tags = values.map((text) => {
    const [, name, value] = TAG_FORM.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw reply(554, '5.6.0 X-Everpost-Tag must be name=value, each of 1 to 64 letters, digits, _ and -');
    return { name, value };
  });
  return storedTags(tags, 'X-Everpost-Tag');
}

function readTracked(value: string): string[] {
  const words = value.split(',', TRACKED.length + 1).map((word) => word.trim().toLowerCase());
  const isKnown = words.every((word) => TRACKED.includes(word)) && (words.length === 1 || !words.includes('none'));
  if (!isKnown) throw reply(554, '5.6.0 X-Everpost-Track must be opens, clicks, both with a comma, or none');
  return words;
}

function only(fields: Fields, wanted: string): string | null {
  const [field, ...others] = fields.filter(({ name }) => name === wanted);
  if (others.length > 0) throw reply(554, `5.6.0 The header ${wanted} is given twice`);
  return field?.value ?? null;
}
