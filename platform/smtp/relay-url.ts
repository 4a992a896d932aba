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
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const PARAMETERS = ['ignoreTLS', 'requireTLS', 'tls.rejectUnauthorized', 'tls.servername', 'name'];

/**
 * smtp://user:password@host:port?requireTLS=true, with the query parameters that nodemailer users know. A password is sent under TLS only,
 * unless requireTLS=false or ignoreTLS=true allows otherwise: a man in the middle can remove STARTTLS from an answer.
 */
export function parseRelayUrl(text: string): RelayUrl {
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
    verifyCertificate: url.searchParams.get('tls.rejectUnauthorized') !== 'false',
    servername: url.searchParams.get('tls.servername') ?? host,
    user: url.username ? decodeURIComponent(url.username) : null,
    password: decodeURIComponent(url.password),
    clientName: url.searchParams.get('name'),
  };
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url?.hostname || !['smtp:', 'smtps:'].includes(url.protocol))
    throw new Error('The SMTP URL must look like smtp://host:port or smtps://user:password@host:port.');
  return url;
}

function isTlsRequired(url: URL, host: string): boolean {
  const given = url.searchParams.get('requireTLS');
  return given === null ? url.username !== '' && !LOOPBACK.test(host) : given === 'true';
}

function isTrue(url: URL, name: string): boolean {
  return url.searchParams.get(name) === 'true';
}
