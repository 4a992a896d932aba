import { invalid } from '../../base/errors.ts';
import { compiled } from '../../templates/cache.ts';
import { renderTemplate, type Template, type Variables } from '../../templates/language/templates.ts';

const HEADERS_MAX = 20;
const HEADER_VALUE_LENGTH_MAX = 1_000;
const HEADER_NAME = /^[A-Za-z0-9-]{1,76}$/;

/**
 * Headers by which a mail names another sender, its way, or where reports about it go. They are ours alone, in submitted mail too, from
 * which they are removed.
 */
const OURS_ALONE: readonly string[] = [
  'sender',
  'bcc',
  'return-path',
  'received',
  'received-spf',
  'authentication-results',
  'feedback-id',
  'cfbl-address',
  'cfbl-feedback-id',
  'delivered-to',
  'envelope-to',
  'errors-to',
  'apparently-to',
];
const OURS_ALONE_PREFIX = 'resent-';

/**
 * Headers that only the service writes in mail that it composes: addresses, identity, structure, signatures, and those needed by the
 * unsubscribe link and loop protection.
 */
const RESERVED_HEADERS: readonly string[] = [
  'from',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'dkim-signature',
  'domainkey-signature',
  'auto-submitted',
];

/** Families of headers: parts of the body, and chains of signatures. */
const RESERVED_HEADER_PREFIXES: readonly string[] = ['content-', 'arc-', 'list-unsubscribe'];

/** The controls that relays take out of a message: they would act for the owner of the relay. */
const RELAY_CONTROL_PREFIXES: readonly string[] = [
  'x-smtpapi',
  'x-msfbl',
  'x-ses-',
  'x-mc-',
  'x-mailgun-',
  'x-msys-',
  'x-mj-',
  'x-pm-',
  'x-sib-',
  'x-mailin-',
  'x-envelope-',
  'x-virtual-mta',
];

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

interface HeaderProblem {
  /** The header's name, "" for the headers as a whole. */
  name: string;
  message: string;
}

/** The problems of headers that a caller wants to add; empty when they are allowed. */
export function headerProblems(headers: unknown): HeaderProblem[] {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return [{ name: '', message: 'must be an object of strings' }];
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) return [{ name: '', message: `must have at most ${HEADERS_MAX} headers` }];
  const seen = new Set<string>();
  return entries.flatMap(([name, value]) => {
    const message = nameProblem(name, seen) ?? valueProblem(value);
    seen.add(name.toLowerCase());
    return message ? [{ name, message }] : [];
  });
}

/** Throws 400 with the header at fault. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const problems = headerProblems(headers).map(({ name, message }) => `headers/${name}: ${message}`);
  if (problems.length > 0) throw invalid(`The request is not valid: ${problems.join('; ')}`, problems.join('; '));
}

/** The values as templates, which are read as a subject is: without escapes of HTML, on one line. Throws 400. */
export function compiledHeaders(headers: Readonly<Record<string, string>>): Array<[name: string, value: Template]> {
  return Object.entries(headers).map(([name, value]) => [name, compiled(value, 'subject', `headers/${name}`)]);
}

/** Every campaign has its own of them, which win. */
const OF_CAMPAIGNS: readonly string[] = ['list-id', 'precedence'];

/** As a recipient of a campaign gets them, without those that are empty. Throws TemplateRenderError. */
export function headersInCampaign(
  headers: Readonly<Record<string, string>>,
  variables: Variables,
): Record<string, string> {
  const shown = compiledHeaders(headers)
    .filter(([name]) => !OF_CAMPAIGNS.includes(name.toLowerCase()))
    .map(([name, value]): [string, string] => [name, renderTemplate(value, variables)]);
  return Object.fromEntries(shown.filter(([, text]) => text.trim() !== ''));
}

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  const isOfFamily = RESERVED_HEADER_PREFIXES.some((prefix) => lower.startsWith(prefix));
  return RESERVED_HEADERS.includes(lower) || isOfFamily || isOursAlone(lower) || isRelayControl(lower);
}

/** Of a name in small letters. */
export function isOursAlone(name: string): boolean {
  return OURS_ALONE.includes(name) || name.startsWith(OURS_ALONE_PREFIX);
}

export function isRelayControl(name: string): boolean {
  const lower = name.toLowerCase();
  return RELAY_CONTROL_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

function nameProblem(name: string, seen: Set<string>): string | null {
  if (!HEADER_NAME.test(name)) return 'the name must be 1 to 76 letters, digits or hyphens';
  if (isReservedHeader(name)) return 'is set by this service and cannot be overridden';
  return seen.has(name.toLowerCase()) ? 'is given twice' : null;
}

function valueProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > HEADER_VALUE_LENGTH_MAX) return `must be at most ${HEADER_VALUE_LENGTH_MAX} characters`;
  return CONTROL.test(value) || !value.isWellFormed() ? 'must not contain line breaks or control characters' : null;
}
