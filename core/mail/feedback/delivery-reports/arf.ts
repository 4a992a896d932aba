import { addressIn, fieldsOf } from './fields.ts';

export interface ComplaintReport {
  /** Only abuse, fraud and opt-out are complaints; not-spam and reports on signatures are not. */
  feedbackType: string;
  isComplaint: boolean;
  /** The complaining recipient as the report names it; usually null, since most reports leave it out. */
  recipient: string | null;
  /** Addresses and links of the reported mail; one with our signature identifies the message. */
  traces: string[];
}

const COMPLAINTS = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list', 'virus', 'other', 'miscategorized']);
/** Names the person in the mail that the Junk Mail Reporting Program returns. */
const MICROSOFT_RECIPIENT = 'x-hmxmroriginalrecipient';
const TRACES_MAX = 50;
/** Longer than any link or address of ours. */
const TRACE_LENGTH_MAX = 2_000;

/** RFC 5965, and what Microsoft sends, which may be the returned mail alone. null: the parts are no such report. */
export function readComplaint(parts: ReadonlyArray<{ contentType: string; text: string }>): ComplaintReport | null {
  const feedback = parts.find(({ contentType }) => contentType === 'message/feedback-report');
  const originals = parts
    .filter(({ contentType }) => contentType === 'message/rfc822' || contentType === 'text/rfc822-headers')
    .map(({ text }) => fieldsOf(text.replace(/\r\n?/g, '\n').split('\n\n')[0] ?? ''));
  const ofMicrosoft = originals.map((headers) => headers.get(MICROSOFT_RECIPIENT)).find((text) => text !== undefined);
  const isBounce = parts.some(({ contentType }) => contentType.endsWith('delivery-status'));
  if (!feedback && (ofMicrosoft === undefined || isBounce)) return null;
  const fields = fieldsOf(feedback?.text.trim() ?? 'Feedback-Type: abuse');
  const feedbackType = (fields.get('feedback-type') ?? 'other').toLowerCase();
  const said = [fields.get('original-mail-from'), ...originals.flatMap(tracesOf)];
  const traces = said
    .flatMap((text) => text?.match(/[^\s<>,"]+/g) ?? [])
    .filter((trace) => trace.length <= TRACE_LENGTH_MAX)
    .slice(0, TRACES_MAX);
  const named = [fields.get('original-rcpt-to'), fields.get('removal-recipient'), ofMicrosoft];
  const recipient = named.map(addressIn).find((address) => address !== null) ?? null;
  return { feedbackType, isComplaint: COMPLAINTS.has(feedbackType), recipient, traces };
}

/** Reports without Return-Path have the envelope sender in the verdict of the server that took the mail. */
function tracesOf(headers: Map<string, string>): Array<string | undefined> {
  const sender = /\bsmtp\.mail(?:from)?=([^\s;]+)/i.exec(headers.get('authentication-results') ?? '')?.[1];
  const names = ['return-path', 'list-unsubscribe', 'x-original-return-path', 'errors-to'];
  return [...names.map((name) => headers.get(name)), sender];
}
