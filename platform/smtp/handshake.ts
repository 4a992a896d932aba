import type { FaultReason, Phase, RelayFault, Reply } from '../../core/mail/ledger/relay.ts';
import type { Deadlines } from './deadlines.ts';
import type { RelayUrl } from './relay-url.ts';
import { openWire, type Wire } from './wire.ts';

export interface Timeouts {
  connectMs: number;
  greetingMs: number;
  /** Each command but the end of the message. */
  commandMs: number;
  /** Each block of a long message. */
  bodyMs: number;
  /** RFC 5321 4.5.3.2.6 asks for ten minutes: a client that gives up earlier sends twice. */
  dotMs: number;
}

export const TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  greetingMs: 60_000,
  commandMs: 120_000,
  bodyMs: 180_000,
  dotMs: 600_000,
};

export interface Capabilities {
  pipelining: boolean;
  eightBit: boolean;
  startTls: boolean;
  /** 0: offered without a limit; null: not offered. */
  sizeMax: number | null;
  auth: string[];
}

type Opened = { wire: Wire; capabilities: Capabilities; fault: null } | { wire: null; fault: RelayFault };

export const NO_REPLY: Reply = Object.freeze({ code: 0, enhanced: null, text: '' });

const NO_STARTTLS: Reply = Object.freeze({
  ...NO_REPLY,
  text: 'The relay does not offer STARTTLS, which is required. Use smtps://, or requireTLS=false in the URL to go without TLS.',
});

interface Step {
  reply: Reply;
  lines: string[];
}

type Ask = (command: string, waitMs: number) => Promise<Step>;

/** Connects, greets, starts TLS and logs in. A password is never sent in clear when TLS is available. */
export async function openRelay(
  url: RelayUrl,
  clientName: string,
  timeouts: Timeouts,
  deadlines: Deadlines,
): Promise<Opened> {
  const wire = await openWire(url, timeouts.connectMs, deadlines);
  if (wire.gone) return failed(wire, 'connect', NO_REPLY);
  const ask = asker(wire);
  const greeting = await ask('', timeouts.greetingMs);
  if (greeting.reply.code !== 220) return failed(wire, 'greeting', greeting.reply);
  let hello = await sayHello(ask, clientName, timeouts);
  if (!isOk(hello.reply)) return failed(wire, 'greeting', hello.reply);
  let capabilities = readCapabilities(hello.lines);
  if (!url.implicitTls && url.startTls === 'required' && !capabilities.startTls)
    return failed(wire, 'greeting', NO_STARTTLS, 'tls');
  if (!url.implicitTls && url.startTls !== 'never' && capabilities.startTls) {
    const go = await ask('STARTTLS\r\n', timeouts.commandMs);
    if (go.reply.code !== 220) return failed(wire, 'greeting', go.reply, 'tls');
    await wire.startTls(url);
    if (wire.gone) return failed(wire, 'greeting', NO_REPLY, 'tls');
    hello = await sayHello(ask, clientName, timeouts);
    if (!isOk(hello.reply)) return failed(wire, 'greeting', hello.reply);
    capabilities = readCapabilities(hello.lines);
  }
  if (url.user !== null) {
    const { reply } = await logIn(ask, url.user, url.password, capabilities, timeouts.commandMs);
    if (reply.code !== 235) return failed(wire, 'greeting', reply, reply.code === 421 ? 'throttled' : 'auth');
  }
  // The relay sent more than was asked, or closed, right after its last answer.
  if (wire.gone) return failed(wire, 'greeting', NO_REPLY);
  return { wire, capabilities, fault: null };
}

/** One command at a time; an unexpected reply ends the wire. */
function asker(wire: Wire): Ask {
  let waiting: ((step: Step) => void) | null = null;
  wire.onReply = (reply, lines) => {
    if (!waiting) return wire.end('protocol', 'The relay answered without being asked.');
    const answer = waiting;
    waiting = null;
    answer({ reply, lines });
  };
  wire.onGone = () => waiting?.({ reply: NO_REPLY, lines: [] });
  return (command, waitMs) =>
    new Promise((resolve) => {
      if (wire.gone) return resolve({ reply: NO_REPLY, lines: [] });
      waiting = resolve;
      wire.waitAtMost(waitMs);
      if (command) wire.write(command);
    });
}

async function sayHello(ask: Ask, clientName: string, { commandMs }: Timeouts): Promise<Step> {
  const hello = await ask(`EHLO ${clientName}\r\n`, commandMs);
  if (hello.reply.code < 500 || hello.reply.code === 554) return hello;
  const old = await ask(`HELO ${clientName}\r\n`, commandMs);
  return { reply: old.reply, lines: [] };
}

async function logIn(ask: Ask, user: string, password: string, { auth }: Capabilities, waitMs: number): Promise<Step> {
  if (auth.includes('LOGIN') && !auth.includes('PLAIN')) {
    const first = await ask('AUTH LOGIN\r\n', waitMs);
    if (first.reply.code !== 334) return first;
    const second = await ask(`${base64(user)}\r\n`, waitMs);
    if (second.reply.code !== 334) return second;
    return ask(`${base64(password)}\r\n`, waitMs);
  }
  return ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}\r\n`, waitMs);
}

function readCapabilities(lines: string[]): Capabilities {
  const words = lines.slice(1).map((line) => line.trim().toUpperCase().split(/[ =]+/));
  const find = (keyword: string) => words.find(([word]) => word === keyword);
  const size = find('SIZE');
  return {
    pipelining: find('PIPELINING') !== undefined,
    eightBit: find('8BITMIME') !== undefined,
    startTls: find('STARTTLS') !== undefined,
    sizeMax: size ? Number(size[1] ?? 0) || 0 : null,
    auth: find('AUTH')?.slice(1) ?? [],
  };
}

function failed(wire: Wire, phase: Phase, reply: Reply, reason?: FaultReason): Opened {
  const gone = wire.gone;
  wire.end('closed', 'We closed the connection.');
  if (gone && reply.code === 0)
    return {
      wire: null,
      fault: { phase, reason: reason === 'tls' ? 'tls' : gone.reason, reply: { ...NO_REPLY, text: gone.text } },
    };
  return { wire: null, fault: { phase, reason: reason ?? (reply.code === 421 ? 'throttled' : 'rejected'), reply } };
}

export function isOk({ code }: Reply): boolean {
  return code >= 200 && code < 300;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
