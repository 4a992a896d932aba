import { connect } from 'node:net';

/** The least a Node process can do to hand over these bytes: no outcomes, no deadlines, no look at the replies but their number. */
export function blast(
  port: number,
  connections: number,
  count: number,
  messageAt: (index: number) => string,
  envelopeAt = (index: number) => ({ from: 'b@bounce.test', to: `u${index}@example.test` }),
  { take = takeInTurn(count), done = () => {} }: Partial<Ledger> = {},
): Promise<void> {
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let replies = 0;
      let expected = 1;
      let step: 'greeting' | 'hello' | 'envelope' | 'dot' = 'greeting';
      let current = 0;
      let rest = '';
      socket.setNoDelay(true);
      socket.on('error', reject);
      const begin = (index: number | null) => {
        if (index === null) return socket.end('QUIT\r\n', () => resolve());
        current = index;
        step = 'envelope';
        expected = 3;
        const { from, to } = envelopeAt(current);
        return socket.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 'latin1');
      };
      const goOn = () => {
        const index = take();
        if (index instanceof Promise) index.then(begin, reject);
        else begin(index);
      };
      socket.on('data', (chunk) => {
        const text = rest + chunk.toString('latin1');
        const lines = text.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line[3] !== '-') replies++;
        if (replies < expected) return;
        replies = 0;
        expected = 1;
        if (step === 'greeting') {
          step = 'hello';
          socket.write('EHLO bench\r\n');
        } else if (step === 'envelope') {
          step = 'dot';
          socket.write(`${messageAt(current)}.\r\n`, 'latin1');
        } else {
          if (step === 'dot') done(current, lines.at(-1) ?? '');
          goOn();
        }
      });
    });
  return Promise.all(Array.from({ length: connections }, one)).then(() => {});
}

/** A mail as it is sent after DATA, up to the final dot. */
export function stuffed(raw: string): string {
  const text = raw.replace(/\r\n\./g, '\r\n..');
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}

/** Says which message is next, and records the reply of the relay to it. */
export interface Ledger {
  /** null: nothing is left. */
  take(): number | null | Promise<number | null>;
  done(index: number, reply: string): void;
}

function takeInTurn(count: number): Ledger['take'] {
  let next = 0;
  return () => (next < count ? next++ : null);
}
