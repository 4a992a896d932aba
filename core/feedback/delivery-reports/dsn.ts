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

/** RFC 3464, and its form for international addresses. */
function standardReports({ parts, text }: ReportedMail): DeliveryReport[] {
  const status = parts.filter(({ contentType }) => /^message\/(global-)?delivery-status$/.test(contentType));
  return status
    .flatMap((part) => fieldGroups(part.text.slice(0, READ_MAX)))
    .flatMap((fields) => reportOf(fields, text) ?? [])
    .slice(0, RECIPIENTS_MAX);
}

function reportOf(fields: Map<string, string>, explanation: string): DeliveryReport | null {
  const status = statusIn(fields.get('status') ?? '');
  const action = actionOf(fields.get('action')?.toLowerCase() ?? '', status);
  if (!action || !(fields.has('final-recipient') || fields.has('original-recipient') || fields.has('status')))
    return null;
  const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]+\s*;\s*/, '');
  const recipient = addressIn(fields.get('original-recipient')) ?? addressIn(fields.get('final-recipient'));
  const said = diagnostic || (isVague(status) ? sentenceOf(explanation) : '');
  const own = statusIn(diagnostic);
  const enhanced = isVague(status) ? (own ?? status) : status;
  return { recipient, action, code: codeIn(diagnostic), enhanced, text: said.slice(0, TEXT_MAX) };
}

function actionOf(action: string, status: string | null): DeliveryReport['action'] | null {
  if (/^fail/.test(action)) return 'failed';
  if (/^delay/.test(action)) return 'delayed';
  if (/^deliver/.test(action)) return 'delivered';
  if (/^(relay|expand)/.test(action)) return 'relayed';
  if (status === null) return null;
  return status.startsWith('5') ? 'failed' : status.startsWith('4') ? 'delayed' : 'delivered';
}

function isVague(status: string | null): boolean {
  return status === null || /^[245]\.0\.0$/.test(status);
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
  /^[ \t>]*(?:(?:-{2,}\s*)?(?:below this line is a copy|this is a copy of|the (body|header)s? of (the|your)|the original message (follows|was as follows)|original message|unsent message|included is the|message header|----- original|original headers|a copy of the)|-+ ?forwarded message)/im;

function textReport({ subject, text, headers }: ReportedMail): DeliveryReport | null {
  const explanation = upTo(text.slice(0, READ_MAX), COPY_FOLLOWS);
  const whole = `${subject}\n${explanation}`;
  const isDelay = DELAY.test(whole) && !/permanent|gave up|given up|giving up/i.test(explanation);
  if (!isDelay && !FAILURE.test(whole) && !headers.has('x-failed-recipients')) return null;
  const reason = reasonIn(explanation);
  return {
    recipient: addressIn(headers.get('x-failed-recipients')) ?? addressIn(explanation),
    action: isDelay ? 'delayed' : 'failed',
    code: codeIn(reason),
    enhanced: statusIn(reason),
    text: reason.slice(0, TEXT_MAX),
  };
}

/** The line with the code of the other server and the text after it; without a code, the whole explanation. */
function reasonIn(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const at = lines.findIndex((line) => /(^|[^\d.])[45]\d\d([ -]|$)(?!\d)/.test(line) && !/^\S+@/.test(line.trim()));
  const withStatus = lines.findIndex((line) => statusIn(line) !== null);
  const best = at === -1 ? withStatus : at;
  const said = best === -1 ? lines : lines.slice(best, best + 4);
  return said.join(' ').replace(/\s+/g, ' ').trim();
}

function sentenceOf(text: string): string {
  return upTo(text.slice(0, TEXT_MAX), COPY_FOLLOWS).replace(/\s+/g, ' ').trim();
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
