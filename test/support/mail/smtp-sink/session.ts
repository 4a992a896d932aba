import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { type Behaviour, behaviourOf } from './behaviour.ts';
import type { Ledger } from './ledger.ts';
import type { SinkModes } from './modes.ts';

const END_OF_MESSAGE = Buffer.from('\r\n.\r\n');
const LINE_LENGTH_MAX = 8_192;
const EMPTY = Buffer.alloc(0);
const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
const TEXT_LINE_LENGTH_MAX = 998;
const OK = '250 2.0.0 ok\r\n';
const QUEUED = '250 2.0.0 queued\r\n';

/** One connection. Parsed by hand and answered once per chunk, so that a benchmark measures the client. */
export class Session {
  #socket: Socket;
  #modes: SinkModes;
  #ledger: Ledger;
  #out = '';
  #rest: Buffer = EMPTY;
  /** The parts of a message that is not over yet; null while commands are read. */
  #body: Buffer[] | null = null;
  #from: string | null = null;
  #to: string[] = [];
  #behaviour: Behaviour | null = null;
  #credentials: string[] | null = null;
  #authenticated = false;
  #messages = 0;
  /** Nothing is read while an answer is delayed: SMTP answers in order. */
  #held = false;
  #over = false;

  constructor(socket: Socket, modes: SinkModes, ledger: Ledger, greeting: string) {
    this.#socket = socket;
    this.#modes = modes;
    this.#ledger = ledger;
    this.#listen();
    if (greeting === '') return;
    this.#out = `${greeting}\r\n`;
    this.#over = !greeting.startsWith('220');
    this.#flush();
  }

  #listen(): void {
    this.#socket.setNoDelay(true);
    this.#socket.on('error', () => {});
    this.#socket.on('data', (chunk: Buffer) => {
      if (this.#over || this.#modes.greeting === '') return;
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#read();
    });
  }

  #read(): void {
    while (!this.#held && !this.#over && this.#rest.length > 0) {
      if (this.#body ? !this.#readBody(this.#body) : !this.#readLine()) break;
    }
    this.#flush();
  }

  #flush(): void {
    if (this.#out !== '') this.#socket.write(this.#out, 'latin1');
    this.#out = '';
    if (this.#over) this.#socket.destroySoon();
  }

  /** The last words; what else was said before goes out too. */
  #closing(words = ''): string {
    this.#over = true;
    return words;
  }

  #readLine(): boolean {
    const end = this.#rest.indexOf(10);
    if (end === -1) {
      if (this.#rest.length > LINE_LENGTH_MAX) this.#out += this.#closing('500 5.5.2 line too long\r\n');
      return false;
    }
    const line = this.#rest.toString('latin1', 0, end > 0 && this.#rest[end - 1] === 13 ? end - 1 : end);
    this.#rest = this.#rest.subarray(end + 1);
    this.#out += this.#credentials ? this.#afterCredentials(line, this.#credentials) : this.#answer(line);
    return true;
  }

  #answer(line: string): string {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return this.#hello();
      case 'MAIL':
        return this.#mail(line);
      case 'RCPT':
        return this.#rcpt(line);
      case 'DATA':
        return this.#data();
      case 'RSET':
        this.#reset();
        return OK;
      case 'NOOP':
      case 'HELO':
        return OK;
      case 'QUIT':
        return this.#closing('221 2.0.0 bye\r\n');
      case 'AUTH':
        return this.#auth(line);
      case 'STAR':
        return this.#startTls();
      default:
        return this.#fault('500 5.5.2 what?\r\n');
    }
  }

  #hello(): string {
    const { pipelining, eightBit, sizeMax, auth, tls, closeAfterHello } = this.#modes;
    this.#reset();
    const words = ['sink', 'ENHANCEDSTATUSCODES'];
    if (eightBit) words.push('8BITMIME');
    if (pipelining) words.push('PIPELINING');
    if (sizeMax !== null) words.push(`SIZE ${sizeMax}`);
    if (auth) words.push(`AUTH ${auth.methods}`);
    if (tls && !(this.#socket instanceof TLSSocket)) words.push('STARTTLS');
    const said = words.map((word, index) => `250${index === words.length - 1 ? ' ' : '-'}${word}\r\n`).join('');
    return closeAfterHello === null ? said : this.#closing(said + closeAfterHello);
  }

  #mail(line: string): string {
    const { closeAfter, sendAwayAfter, auth, mailReply, dataWithoutRecipients } = this.#modes;
    const from = pathOf(line);
    if (closeAfter !== null && this.#messages >= closeAfter) return this.#closing();
    if (sendAwayAfter !== null && this.#messages >= sendAwayAfter)
      return this.#closing('421 4.7.0 too many messages on this connection\r\n');
    if (dataWithoutRecipients) this.#from = from;
    if (mailReply !== null) return this.#reply(mailReply, mailReply.startsWith('421'));
    if (auth && !this.#authenticated) return '530 5.7.0 authentication required\r\n';
    if (from === null || (this.#from !== null && !dataWithoutRecipients)) return this.#fault('503 5.5.1 bad MAIL\r\n');
    const behaviour = behaviourOf(from);
    if (behaviour?.at === 'mail') return this.#reply(behaviour.reply, behaviour.drop);
    this.#from = from;
    return '250 2.1.0 ok\r\n';
  }

  #rcpt(line: string): string {
    const address = pathOf(line);
    if (address === null) return this.#fault('503 5.5.1 bad RCPT\r\n');
    if (this.#from === null) return '503 5.5.1 MAIL first\r\n';
    const behaviour = behaviourOf(address);
    if (behaviour?.at === 'rcpt') return this.#reply(behaviour.reply, behaviour.drop);
    if (behaviour) this.#behaviour = behaviour;
    this.#to.push(address);
    return '250 2.1.5 ok\r\n';
  }

  #data(): string {
    const behaviour = this.#behaviour;
    if (this.#to.length === 0 && !(this.#modes.dataWithoutRecipients && this.#from !== null))
      return '503 5.5.1 no valid recipients\r\n';
    if (behaviour?.at === 'data') {
      this.#behaviour = null;
      return this.#reply(behaviour.reply, behaviour.drop);
    }
    this.#body = [];
    return this.#modes.dataReply ?? '354 go ahead\r\n';
  }

  /** Ends at CRLF.CRLF; for a message of nothing the line end of DATA counts. */
  #readBody(parts: Buffer[]): boolean {
    const rest = this.#rest;
    if (this.#behaviour?.at === 'body') {
      this.#out += this.#closing();
      return false;
    }
    if (parts.length === 0 && rest.length >= 3 && rest[0] === 46 && rest[1] === 13 && rest[2] === 10) {
      this.#rest = rest.subarray(3);
      this.#endOfMessage(parts);
      return true;
    }
    const end = rest.indexOf(END_OF_MESSAGE);
    if (end === -1) {
      if (rest.length <= END_OF_MESSAGE.length) return false;
      parts.push(rest.subarray(0, rest.length - 4));
      this.#rest = rest.subarray(rest.length - 4);
      return false;
    }
    parts.push(rest.subarray(0, end + 2));
    this.#rest = rest.subarray(end + END_OF_MESSAGE.length);
    this.#endOfMessage(parts);
    return true;
  }

  #endOfMessage(parts: Buffer[]): void {
    const behaviour = this.#behaviour;
    const refused = behaviour?.at === 'dot' && ('reply' in behaviour || behaviour.act === 'loseAndDrop');
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const { sizeMax, ackDelayMs, strict } = this.#modes;
    const tooLarge = sizeMax !== null && sizeMax > 0 && bytes > sizeMax;
    const nobody = this.#to.length === 0;
    if (strict && hasBadLine(Buffer.concat(parts).toString('latin1'))) this.#ledger.badLines++;
    if (!refused && !tooLarge && !nobody) {
      this.#ledger.accept(this.#from!, this.#to, parts, bytes);
      this.#messages++;
    }
    this.#reset();
    if (nobody) this.#out += '554 5.5.1 no valid recipients\r\n';
    else if (tooLarge) this.#out += '552 5.3.4 message too large\r\n';
    else if (behaviour?.at === 'dot') this.#misbehave(behaviour);
    else this.#later(ackDelayMs, QUEUED);
  }

  #misbehave(behaviour: Behaviour): void {
    if ('reply' in behaviour) this.#out += this.#reply(behaviour.reply, behaviour.drop);
    else if (!('act' in behaviour)) return;
    else if (behaviour.act === 'answer') this.#later(behaviour.delayMs, behaviour.raw);
    else if (behaviour.act === 'silence') this.#held = true;
    else if (behaviour.act === 'answerLater') this.#after(this.#modes.later, QUEUED);
    else if (behaviour.act === 'dropAfter250') this.#out += this.#closing(QUEUED);
    else this.#out += this.#closing();
  }

  #later(delayMs: number, words: string): void {
    if (delayMs === 0) {
      this.#out += words;
      return;
    }
    this.#after(sleep(delayMs), words);
  }

  #after(event: Promise<unknown>, words: string): void {
    this.#held = true;
    void event.then(() => {
      this.#held = false;
      this.#out += words;
      this.#read();
    });
  }

  #auth(line: string): string {
    this.#ledger.logins++;
    const { auth } = this.#modes;
    if (!auth) return '502 5.5.1 no AUTH here\r\n';
    const [, method = '', initial] = line.split(' ');
    if (!auth.methods.split(' ').includes(method.toUpperCase())) return '504 5.5.4 not this one\r\n';
    if (method.toUpperCase() === 'LOGIN') {
      this.#credentials = [];
      return '334 VXNlcm5hbWU6\r\n';
    }
    const [, user = '', password = ''] = fromBase64(initial ?? '').split('\0');
    return this.#judge(user, password);
  }

  #afterCredentials(line: string, given: string[]): string {
    given.push(fromBase64(line));
    if (given.length === 1) return '334 UGFzc3dvcmQ6\r\n';
    this.#credentials = null;
    return this.#judge(given[0]!, given[1]!);
  }

  #judge(user: string, password: string): string {
    const { auth } = this.#modes;
    this.#authenticated = user === auth?.user && password === auth.password && !auth.reply;
    return this.#authenticated ? '235 2.7.0 welcome\r\n' : (auth?.reply ?? '535 5.7.8 wrong user or password\r\n');
  }

  #startTls(): string {
    const { tls, tlsInjection } = this.#modes;
    if (!tls) return '502 5.5.1 no STARTTLS here\r\n';
    this.#socket.write(`220 2.0.0 go\r\n${tlsInjection}`);
    this.#socket.removeAllListeners('data');
    this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext: tls });
    this.#rest = EMPTY;
    this.#reset();
    this.#listen();
    return '';
  }

  #reply(words: string, close: boolean): string {
    return close ? this.#closing(words) : words;
  }

  #fault(words: string): string {
    this.#ledger.protocolErrors++;
    return words;
  }

  #reset(): void {
    this.#body = null;
    this.#from = null;
    this.#to = [];
    this.#behaviour = null;
  }
}

function pathOf(line: string): string | null {
  const from = line.indexOf('<');
  const to = line.indexOf('>', from);
  return from === -1 || to === -1 ? null : line.slice(from + 1, to);
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function hasBadLine(text: string): boolean {
  return BARE_LINE_END.test(text) || text.split('\r\n').some((line) => line.length > TEXT_LINE_LENGTH_MAX);
}
