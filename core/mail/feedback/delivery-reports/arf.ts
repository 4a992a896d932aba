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
const TRACES_MAX = 50;
/** Longer than any link or address of ours. */
const TRACE_LENGTH_MAX = 2_000;

/** RFC 5965. null: none of the parts is a feedback report. */
export function readComplaint(parts: ReadonlyArray<{ contentType: string; text: string }>): ComplaintReport | null {
  const feedback = parts.find(({ contentType }) => contentType === 'message/feedback-report');
  if (!feedback) return null;
  const fields = fieldsOf(feedback.text.trim());
  const feedbackType = (fields.get('feedback-type') ?? 'other').toLowerCase();
  const originals = parts
    .filter(({ contentType }) => contentType === 'message/rfc822' || contentType === 'text/rfc822-headers')
    .map(({ text }) => fieldsOf(text.replace(/\r\n?/g, '\n').split('\n\n')[0] ?? ''));
  const said = [fields.get('original-mail-from'), ...originals.flatMap(tracesOf)];
  const traces = said
    .flatMap((text) => text?.match(/[^\s<>,"]+/g) ?? [])
    .filter((trace) => trace.length <= TRACE_LENGTH_MAX)
    .slice(0, TRACES_MAX);
  const recipient = addressIn(fields.get('original-rcpt-to')) ?? addressIn(fields.get('removal-recipient'));
  return { feedbackType, isComplaint: COMPLAINTS.has(feedbackType), recipient, traces };
}

function tracesOf(headers: Map<string, string>): Array<string | undefined> {
  return ['return-path', 'list-unsubscribe', 'x-original-return-path', 'errors-to'].map((name) => headers.get(name));
}
