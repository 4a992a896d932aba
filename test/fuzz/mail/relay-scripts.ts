import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';

const STAGES = ['greeting', 'hello', 'auth', 'mail', 'rcpt', 'data', 'dot'] as const;
type Stage = (typeof STAGES)[number];

interface Answer {
  /** A character is a byte. */
  text: string;
  after: 'stay' | 'close' | 'reset';
  /** Written in two pieces, the first of so many bytes; 0: in one. */
  cut: number;
}

export type Script = Record<Stage, Answer>;

export interface Seen {
  /** A message and its final dot. */
  dots: number;
  /** Dots whose answer began with a whole reply of 2xx, of a sender and a recipient that were taken so. */
  takes: number;
}

export interface ScriptedRelay {
  port: number;
  /** Plays this from the next connection on; returns the connections that it serves. */
  play(script: Script): Seen;
  close(): Promise<void>;
}

const CODES = ['220', '235', '250', '251', '299', '334', '354', '399', '421', '450', '451', '452', '454', '500', '503'];
const MORE_CODES = ['530', '535', '550', '552', '554', '599', '099', '199', '600', '25', '2500', 'abc', ''];
const ENDS = ['\r\n', '\r\n', '\r\n', '\n', '\r', '', '\r\r\n', '\n\n'];
const WORDS = [
  '2.0.0 ok',
  '4.7.0 too many connections',
  '5.1.1 <a@b.test> (#5.1.1)',
  'try again in 99999 minutes',
  'STARTTLS',
];
const RUNS = [' ', '-', '.', '<', '#', '5.1.1 ', '0', 'retry ', '\x00', '\xff', '(', '@', 'again '];

const run = fc
  .tuple(fc.constantFrom(...RUNS), fc.integer({ min: 1, max: 5_000 }))
  .map(([text, times]) => text.repeat(times).slice(0, 5_000));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('latin1'));
const words = fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 80 }), bytes, run);
const line = fc
  .tuple(fc.constantFrom(...CODES, ...MORE_CODES), fc.constantFrom(' ', '-', '', '\t'), words, fc.constantFrom(...ENDS))
  .map((parts) => parts.join(''));
const several = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join(''));
const sameCode = fc
  .tuple(fc.constantFrom(...CODES), fc.array(words, { minLength: 1, maxLength: 140 }))
  .map(([code, texts]) =>
    texts.map((text, n) => `${code}${n === texts.length - 1 ? ' ' : '-'}${text.slice(0, 40)}\r\n`).join(''),
  );
const oneReply = fc.tuple(fc.constantFrom(...CODES), words).map(([code, text]) => `${code} ${text}\r\n`);
/** Answers to more than was asked. */
const shortReply = fc
  .tuple(fc.constantFrom('220', '250', '250', '354', '354', '550'), fc.constantFrom('ok', '2.0.0 queued', ''))
  .map(([code, text]) => `${code} ${text}\r\n`);
const tooMany = fc.array(shortReply, { minLength: 2, maxLength: 3 }).map((replies) => replies.join(''));
const hostile: fc.Arbitrary<Answer> = fc.record({
  text: fc.oneof({ arbitrary: oneReply, weight: 3 }, tooMany, several, sameCode, bytes, fc.constant('')),
  after: fc.constantFrom('stay', 'stay', 'stay', 'close', 'reset'),
  cut: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 })),
});

const good = (text: string): Answer => ({ text, after: 'stay', cut: 0 });
const hello = fc.constantFrom(
  '250-relay\r\n250 PIPELINING\r\n',
  '250 relay\r\n',
  '250-relay\r\n250 AUTH LOGIN PLAIN\r\n',
);

/** An orderly relay that misbehaves at some of its answers. */
export const scripts: fc.Arbitrary<Script> = fc
  .record({
    hello,
    bad: fc.uniqueArray(fc.constantFrom(...STAGES), { minLength: 1, maxLength: 3 }),
    answers: fc.array(hostile, { minLength: 3, maxLength: 3 }),
  })
  .map(({ hello: said, bad, answers }) => {
    const script: Script = {
      greeting: good('220 relay\r\n'),
      hello: good(said),
      auth: good('235 2.7.0 welcome\r\n'),
      mail: good('250 2.1.0 ok\r\n'),
      rcpt: good('250 2.1.5 ok\r\n'),
      data: good('354 go on\r\n'),
      dot: good('250 2.0.0 queued\r\n'),
    };
    for (const [index, stage] of bad.entries()) script[stage] = answers[index]!;
    return script;
  });

/**
 * Replies of a relay to more commands than it had, in bytes of their own, look like answers: it may as well say 250 to a
 * dot that it throws away. Behind the 354 and in the same bytes it is noticed.
 */
export function isDesynchronised({ mail, rcpt, data }: Script): boolean {
  const replies = ({ text }: Answer) => text.match(/^\d{3}(?!-)/gm)?.length ?? 0;
  return replies(mail) > 1 || replies(rcpt) > 1 || (replies(data) > 1 && data.cut > 0);
}

/** Written apart from the reader that is tested. */
function isTake(text: string): boolean {
  const [, code] = /^(\d{3})/.exec(text) ?? [];
  return code?.[0] === '2' && new RegExp(`^(?:${code}-[^\\n]*\\n)*${code}(?: [^\\n]*|\\r?)\\n`).test(text);
}

export async function startScriptedRelay(): Promise<ScriptedRelay> {
  let script: Script | null = null;
  let seen: Seen = { dots: 0, takes: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    if (script) serve(socket, script, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    play(next) {
      for (const socket of sockets) socket.destroy();
      script = next;
      seen = { dots: 0, takes: 0 };
      return seen;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, script: Script, seen: Seen): void {
  let rest = '';
  let isData = false;
  let isOver = false;
  // Pieces of one answer stay together, and answers in order.
  let saying = Promise.resolve();

  const say = (answer: Answer) => {
    saying = saying.then(() => write(answer));
  };
  const write = async ({ text, after, cut }: Answer) => {
    if (isOver) return;
    if (cut > 0 && cut < text.length) {
      socket.write(text.slice(0, cut), 'latin1');
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.write(text.slice(cut > 0 && cut < text.length ? cut : 0), 'latin1');
    if (after === 'stay') return;
    isOver = true;
    if (after === 'close') socket.end();
    else socket.resetAndDestroy();
  };

  const readMessage = (): boolean => {
    const end = rest.startsWith('.\r\n') ? 0 : rest.indexOf('\r\n.\r\n') + 2;
    if (end === 1) return false;
    rest = rest.slice(end + 3);
    isData = false;
    seen.dots += 1;
    if ([script.mail, script.rcpt, script.dot].every(({ text }) => isTake(text))) seen.takes += 1;
    say(script.dot);
    return true;
  };
  const readCommand = (): boolean => {
    const end = rest.indexOf('\r\n');
    if (end === -1) return false;
    const verb = rest.slice(0, 4).toUpperCase();
    rest = rest.slice(end + 2);
    if (verb === 'DATA') isData = script.data.text.startsWith('354');
    say(answerTo(verb, script));
    return true;
  };

  say(script.greeting);
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    while (!isOver && (isData ? readMessage() : readCommand()));
  });
}

function answerTo(verb: string, script: Script): Answer {
  if (verb === 'EHLO') return script.hello;
  if (verb === 'AUTH') return script.auth;
  if (verb === 'MAIL') return script.mail;
  if (verb === 'RCPT') return script.rcpt;
  if (verb === 'DATA') return script.data;
  return good(verb === 'RSET' || verb === 'HELO' ? '250 ok\r\n' : '500 what?\r\n');
}
