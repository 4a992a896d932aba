/** The sink's treatment of a message, by the local part of a recipient (MAIL: of the sender). The part after a "+" makes it unique. */
export type Behaviour =
  /** An answer at that command, and then not accepted; "" with drop: no answer at all. */
  | { at: 'mail' | 'rcpt' | 'data' | 'dot'; reply: string; drop: boolean }
  /** Gone after the first bytes of the message. */
  | { at: 'body' }
  /** Accepted and recorded (loseAndDrop: not): what the client sees of it. */
  | { at: 'dot'; act: 'drop' | 'silence' | 'dropAfter250' | 'loseAndDrop' | 'answerLater' }
  | { at: 'dot'; act: 'answer'; delayMs: number; raw: string };

/** {temp,perm,reject}-{mail,rcpt,data}-CODE[-ENHANCED][-close], after-dot-CODE[-ENHANCED][-close] */
const REPLY = /^(?:(?:temp|perm|reject)-(mail|rcpt|data)|after-(dot))-(\d{3})(?:-(\d\.\d{1,3}\.\d{1,3}))?(-close)?$/;
const SLOW = /^slow-(\d+)(ms|s)$/;

const TEXTS: Record<string, string> = {
  '450': 'greylisted, come back later',
  '452': 'mailbox full',
  '550': 'no such user here',
  '554': 'not wanted',
  '5.7.1': 'refused by policy',
};

const FIXED: Record<string, Behaviour> = {
  'drop-at-rcpt': { at: 'rcpt', reply: '', drop: true },
  'drop-at-data': { at: 'data', reply: '', drop: true },
  'drop-mid-data': { at: 'body' },
  'drop-after-dot': { at: 'dot', act: 'drop' },
  'lose-after-dot': { at: 'dot', act: 'loseAndDrop' },
  'silent-after-dot': { at: 'dot', act: 'silence' },
  'drop-after-250': { at: 'dot', act: 'dropAfter250' },
  'answer-later': { at: 'dot', act: 'answerLater' },
  'multi-line-250': answer('250-2.0.0 first line\r\n250-2.0.0 second line\r\n250 2.0.0 queued as M1\r\n'),
  'no-enhanced': answer('250 queued without a code\r\n'),
  'bare-250': answer('250\r\n'),
  'bare-lf': answer('250 2.0.0 no carriage return\n'),
  'eight-bit': answer('250 2.0.0 angenommen f\xfcr sp\xe4ter\r\n'),
  'utf-8': answer('250 2.0.0 angenommen f\xc3\xbcr sp\xc3\xa4ter\r\n'),
  'control-bytes': answer('250 2.0.0 a\x00b\x1b[31mred\x07\r\n'),
  'no-smtp': answer('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'endless-line': answer(`250-${'x'.repeat(100_000)}`),
  'endless-lines': answer('250-more\r\n'.repeat(10_000)),
  'reply-200k': answer(`${`250-${'y'.repeat(3_000)}\r\n`.repeat(60)}250 2.0.0 done\r\n`),
};

const known = new Map<string, Behaviour | null>();

/** null: an ordinary mailbox. */
export function behaviourOf(address: string): Behaviour | null {
  const end = address.search(/[+@]/);
  const name = end === -1 ? address : address.slice(0, end);
  if (name.indexOf('-') === -1) return null;
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const behaviour = FIXED[name] ?? readReply(name) ?? readSlow(name);
  if (known.size < 10_000) known.set(name, behaviour);
  return behaviour;
}

function readReply(name: string): Behaviour | null {
  const match = REPLY.exec(name);
  if (!match) return null;
  const [, command, dot, code, enhanced, close] = match;
  const at = (command ?? dot) as 'mail' | 'rcpt' | 'data' | 'dot';
  const text = TEXTS[enhanced ?? ''] ?? TEXTS[code!] ?? (code === '421' ? 'closing the connection' : 'as you wish');
  return { at, reply: `${code} ${enhanced ? `${enhanced} ` : ''}${text}\r\n`, drop: Boolean(close) || code === '421' };
}

function readSlow(name: string): Behaviour | null {
  const match = SLOW.exec(name);
  return match ? answer('250 2.0.0 queued\r\n', Number(match[1]) * (match[2] === 's' ? 1_000 : 1)) : null;
}

function answer(raw: string, delayMs = 0): Behaviour {
  return { at: 'dot', act: 'answer', delayMs, raw };
}
