export interface RelayUrl {
  host: string;
  port: number;
  /** TLS from the first byte (smtps://). */
  implicitTls: boolean;
  /** How STARTTLS is handled: use it when offered, insist on it, never use it. */
  startTls: 'offered' | 'required' | 'never';
  verifyCertificate: boolean;
  /** The name to expect in the certificate. */
  servername: string;
  user: string | null;
  password: string;
  /** The name that EHLO sends. */
  clientName: string | null;
  /** 0 comes first; a higher number takes mail while no relay with a lower one answers. */
  priority: number;
  /** Its share of the mail among relays of the same priority. */
  weight: number;
  /** The most connections of the whole installation; null: as many as its route may have. */
  connections: number | null;
  /** The most mails a second of the whole installation; null: no limit. */
  rate: number | null;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const PARAMETERS = [
  ...['ignoreTLS', 'requireTLS', 'tls.rejectUnauthorized', 'tls.servername', 'name'],
  ...['priority', 'weight', 'connections', 'rate'],
];
const PRIORITY_MAX = 100;
const WEIGHT_MAX = 1_000;
const CONNECTIONS_MAX = 100_000;
const RATE_MAX = 100_000;
/** A password may contain a comma. */
const BETWEEN_URLS = /,\s*(?=smtps?:\/\/)/i;

/** One URL or several, comma separated, in the order of their priorities. */
export function parseRelayUrls(text: string): RelayUrl[] {
  const urls = text.split(BETWEEN_URLS).map((one) => parseRelayUrl(one.trim()));
  return urls.toSorted((one, other) => one.priority - other.priority);
}

/**
 * smtp://user:password@host:port?requireTLS=true, with the query parameters that nodemailer users know. A password is sent under TLS only,
 * unless requireTLS=false or ignoreTLS=true allows otherwise: a man in the middle can remove STARTTLS from an answer.
 */
function parseRelayUrl(text: string): RelayUrl {
  const url = parse(text);
  const implicitTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw new Error(`The SMTP URL has an unknown parameter "${name}"; known: ${PARAMETERS.join(', ')}.`);
  return {
    host,
    port: Number(url.port) || (implicitTls ? 465 : url.username ? 587 : 25),
    implicitTls,
    startTls: isTrue(url, 'ignoreTLS') ? 'never' : isTlsRequired(url, host) ? 'required' : 'offered',
    verifyCertificate: isCertificateVerified(url, host),
    servername: url.searchParams.get('tls.servername') ?? host,
    user: url.username ? decodeURIComponent(url.username) : null,
    password: decodeURIComponent(url.password),
    clientName: url.searchParams.get('name'),
    priority: numberIn(url, 'priority', { from: 0, to: PRIORITY_MAX, otherwise: 0 }),
    weight: numberIn(url, 'weight', { from: 1, to: WEIGHT_MAX, otherwise: 1 }),
    connections: numberIn(url, 'connections', { from: 1, to: CONNECTIONS_MAX, otherwise: null }),
    rate: numberIn(url, 'rate', { from: 1, to: RATE_MAX, otherwise: null }),
  };
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url?.hostname || url.hostname.includes(',') || !['smtp:', 'smtps:'].includes(url.protocol))
    throw new Error('The SMTP URL must look like smtp://host:port or smtps://user:password@host:port.');
  return url;
}

function isTlsRequired(url: URL, host: string): boolean {
  const given = url.searchParams.get('requireTLS');
  return given === null ? url.username !== '' && !LOOPBACK.test(host) : given === 'true';
}

/**
 * TLS that is taken because it is offered needs no certificate that can be trusted, as between mail servers: without it the mail would leave in
 * the clear. Where TLS is needed, for a password or because the URL says so, it is worth nothing without one.
 */
function isCertificateVerified(url: URL, host: string): boolean {
  const given = url.searchParams.get('tls.rejectUnauthorized');
  if (given !== null) return given !== 'false';
  if (url.searchParams.has('tls.servername')) return true;
  return !LOOPBACK.test(host) && (url.username !== '' || url.protocol === 'smtps:' || isTlsRequired(url, host));
}

function numberIn<Otherwise extends number | null>(
  url: URL,
  name: string,
  { from, to, otherwise }: { from: number; to: number; otherwise: Otherwise },
): number | Otherwise {
  const given = url.searchParams.get(name);
  if (given === null) return otherwise;
  const number = /^\d{1,6}$/.test(given) ? Number(given) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw new Error(`The SMTP URL needs a whole number from ${from} to ${to} as its ${name}.`);
}

function isTrue(url: URL, name: string): boolean {
  return url.searchParams.get(name) === 'true';
}
