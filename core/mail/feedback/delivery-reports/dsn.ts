import { addressIn, fieldGroups } from './fields.ts';

interface ReportedMail {
  /** '' for the null sender. */
  mailFrom: string;
  /** Of the From header; '' when it is missing. */
  from: string;
  subject: string;
  text: string;
  /** Lower-case names. */
  headers: ReadonlyMap<string, string>;
  parts: ReadonlyArray<{ contentType: string; text: string }>;
}

export interface DeliveryReport {
  /** As the report names it; null when it does not. Never used to find the mail, only to distinguish its recipients. */
  recipient: string | null;
  /** relayed: handed to a server that will not report. */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed';
  /** 0 when there is none. */
  code: number;
  enhanced: string | null;
  text: string;
}

export type MailKind = { kind: 'delivery'; reports: DeliveryReport[] } | { kind: 'auto_reply' } | { kind: 'mail' };

const TEXT_MAX = 2_000;
const READ_MAX = 20_000;
const RECIPIENTS_MAX = 100;

/** The kind of a mail to a return path: a standard report, one in the words of a known program, an automatic answer, or something else. */
export function readReturnedMail(mail: ReportedMail): MailKind {
  const reports = standardReports(mail);
  if (reports.length > 0) return { kind: 'delivery', reports };
  const known = isFromMachine(mail) ? textReport(mail) : null;
  if (known) return { kind: 'delivery', reports: [known] };
  return isAutoReply(mail) ? { kind: 'auto_reply' } : { kind: 'mail' };
}

/** RFC 3464, and its form for international addresses. The first group of fields is about the whole mail. */
function standardReports({ parts, text }: ReportedMail): DeliveryReport[] {
  const status = parts.filter(({ contentType }) => /^message\/(global-)?delivery-status$/.test(contentType));
  const explanation = linesOf(upTo(text.slice(0, READ_MAX), COPY_FOLLOWS));
  return status
    .flatMap((part) => fieldGroups(part.text.slice(0, READ_MAX)))
    .slice(0, RECIPIENTS_MAX + 1)
    .flatMap((fields) => reportOf(fields, explanation) ?? []);
}

function reportOf(fields: Map<string, string>, explanation: string[]): DeliveryReport | null {
  const status = statusIn(fields.get('status') ?? '');
  const said = actionOf(fields.get('action')?.toLowerCase() ?? '', status);
  if (!said || !(fields.has('final-recipient') || fields.has('original-recipient') || fields.has('status')))
    return null;
  const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]+\s*;\s*/, '');
  const [original, final] = ['original-recipient', 'final-recipient'].map((name) => addressIn(fields.get(name)));
  const isExact = !isVague(status) || codeIn(diagnostic) !== 0 || statusIn(diagnostic) !== null;
  // A delay ends nothing, so its text may be anything that the explanation has.
  const isTextual = !isExact || (said === 'delayed' && diagnostic === '');
  const words = isTextual ? reasonIn(about(explanation, final ?? original ?? null)) : '';
  const own = statusIn(diagnostic) ?? statusIn(words);
  const code = codeIn(diagnostic) || codeIn(words);
  const text = withoutCodes(diagnostic || words, code).slice(0, TEXT_MAX);
  // OpenSMTPD calls a mail delayed when it gives it up.
  const isOver = said === 'delayed' && status === '4.4.7' && /^envelope expired\b/i.test(words);
  return {
    recipient: original ?? final ?? null,
    action: isOver ? 'failed' : said,
    code,
    enhanced: isVague(status) && own && !isEmpty(own) ? own : (status ?? own),
    text,
  };
}

function actionOf(action: string, status: string | null): DeliveryReport['action'] | null {
  if (/^fail/.test(action)) return 'failed';
  if (/^delay/.test(action)) return 'delayed';
  if (/^deliver/.test(action)) return 'delivered';
  if (/^(relay|expand)/.test(action)) return 'relayed';
  if (status === null) return null;
  return status.startsWith('5') ? 'failed' : status.startsWith('4') ? 'delayed' : 'delivered';
}

/** The registry calls x.y.0 undefined: the program had no better status, or none was asked for. */
function isVague(status: string | null): boolean {
  return status === null || /^[245]\.\d{1,3}\.0$/.test(status);
}

function isEmpty(status: string): boolean {
  return /^[245]\.0\.0$/.test(status);
}

/** Only mail that a mail server alone sends: under a null sender, or in the name of a mail server. */
function isFromMachine({ mailFrom, from, headers }: ReportedMail): boolean {
  return (
    headers.has('x-failed-recipients') ||
    /^(mailer-?daemon|postmaster|mail-?daemon|maildelivery|mdaemon|microsoftexchange[\w-]*)@/i.test(from) ||
    (mailFrom === '' && !isVacation(headers)) ||
    /^(mailer-?daemon|postmaster)\b/i.test(from)
  );
}

const DELAY =
  /\b(delivery status notification \(delay\)|delayed mail|still being retried|not (yet )?been delivered yet|has not yet been delivered|could not (yet )?be delivered for|will (be retried|keep trying|continue to (be )?(try|tried|retr))|warning: (could not send|message)|no action is required on your part|delivery (is|has been) delayed|you do not need to resend)/i;

const FAILURE =
  /qmail-send program|this is a permanent error|created automatically by mail delivery software|could not be delivered to one or more|had permanent fatal errors|permanent delivery failure|delivery (has )?failed|delivery to the following recipients? failed|failed permanently|address(?:ee)? not found|was ?n[o']t delivered to|was not delivered|did not reach (some|the)|undeliver(able|ed)|unable to deliver|returned (mail|to sender)|failure notice|mail delivery (failed|failure|system)|delivery (failure|status notification \(failure\))|couldn'?t be delivered|could ?n[o']t deliver|cannot be delivered|not be delivered|unzustellbar|konnte nicht zugestellt|non (remis|distribu)|no se pudo entregar|message blocked|rejected your message/i;

const COPY_FOLLOWS =
  /^[ \t>]*(?:(?:-{2,}\s*)?(?:below (?:this line )?is a copy|this is a copy of|the (body|header)s? of (the|your)|the original message (follows|was as follows)|original message|unsent message|included is the|message header|----- original|original headers|a copy of the)|-+ ?forwarded message)/im;

function textReport({ subject, text, headers }: ReportedMail): DeliveryReport | null {
  const explanation = upTo(text.slice(0, READ_MAX), COPY_FOLLOWS);
  const whole = `${subject}\n${explanation}`;
  const isDelay = DELAY.test(whole) && !/permanent|gave up|given up|giving up/i.test(explanation);
  if (!isDelay && !FAILURE.test(whole) && !headers.has('x-failed-recipients')) return null;
  const reason = reasonIn(linesOf(explanation));
  return {
    recipient: addressIn(headers.get('x-failed-recipients')) ?? addressIn(explanation),
    action: isDelay ? 'delayed' : 'failed',
    code: codeIn(reason),
    enhanced: statusIn(reason),
    text: withoutCodes(reason, codeIn(reason)).slice(0, TEXT_MAX),
  };
}

/** The line with the code of the other server and the text after it; without a code, the whole explanation. */
function reasonIn(lines: string[]): string {
  const at = lines.findIndex((line) => /(^|[^\d.])[45]\d\d([ -]|$)(?!\d)/.test(line) && !/^\S+@/.test(line.trim()));
  const withStatus = lines.findIndex((line) => statusIn(line) !== null);
  const best = at === -1 ? withStatus : at;
  const said = best === -1 ? lines : lines.slice(best, best + 4);
  return said.join(' ').replace(/\s+/g, ' ').trim();
}

/** The lines about one recipient, where the explanation names it: from its address to an empty line or another address. */
function about(lines: string[], recipient: string | null): string[] {
  const found = recipient ? lines.findIndex((line) => line.toLowerCase().includes(recipient)) : -1;
  if (recipient === null || found === -1) return lines;
  const line = lines[found]!;
  const first = line.slice(line.toLowerCase().indexOf(recipient) + recipient.length).replace(/^[>:\s]+/, '');
  const rest = lines.slice(found + 1);
  const end = rest.findIndex((one) => one.trim() === '' || namesAnother(one, recipient));
  return [first, ...(end === -1 ? rest : rest.slice(0, end))];
}

function namesAnother(line: string, recipient: string): boolean {
  const address = addressIn(line.trim().split(/\s/, 1)[0]);
  return address !== null && !address.startsWith(recipient);
}

/** The reply has both already: each line of the receiving server begins with the code, and often with the status. */
function withoutCodes(text: string, code: number): string {
  if (code === 0) return text.replace(/^[245]\.\d{1,3}\.\d{1,3}(?:\s+|$)/, '');
  const removed = (match: string, before: string, found: string) => (Number(found) === code ? before : match);
  return text
    .replace(/(^|\s)([245]\d\d)(?:[ -][245]\.\d{1,3}\.\d{1,3}(?:\s+|$)|-)/g, removed)
    .replace(/^()([245]\d\d)(?:\s+|$)/, removed);
}

function linesOf(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').split('\n');
}

function upTo(text: string, marker: RegExp): string {
  const found = marker.exec(text);
  return found && found.index > 0 ? text.slice(0, found.index) : text;
}

function codeIn(text: string): number {
  return Number(/(?:^|[^\d.])([245]\d\d)(?=[ -]|$)/.exec(text)?.[1] ?? 0);
}

function statusIn(text: string): string | null {
  return /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(text)?.[0] ?? null;
}

const VACATION_SUBJECT =
  /^(re: )?\W*(out of (the )?office|automatic(al)? reply|auto(matic)?[- ]?(reply|response|answer)|autoreply|on (vacation|holiday|leave)|away from|abwesenheit\w*|automatische antwort|r[ée]ponse automatique|respuesta autom|risposta automatica|absence)\b/i;

/** RFC 3834, and older conventions. */
function isAutoReply({ subject, headers }: Pick<ReportedMail, 'subject' | 'headers'>): boolean {
  return isVacation(headers) || VACATION_SUBJECT.test(subject);
}

function isVacation(headers: ReadonlyMap<string, string>): boolean {
  const auto = headers.get('auto-submitted')?.toLowerCase() ?? 'no';
  return (
    (/^auto-(replied|notified|generated)/.test(auto) && !headers.has('x-failed-recipients')) ||
    /auto[_-]?reply|^(junk)$/i.test(headers.get('precedence') ?? '') ||
    ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-auto-reply-from'].some((name) => headers.has(name))
  );
}
