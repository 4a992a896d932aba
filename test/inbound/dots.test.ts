import { expect } from 'chai';
import fc from 'fast-check';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { Blocks } from '../../core/base/held-bytes.ts';
import { takeDots } from '../../platform/inbound/connection/dots.ts';

describe('The bytes of a mail that comes in by SMTP', () => {
  it('lose the dots that protect lines, and end, as in smtp-server, however they are cut.', async () => {
    const words = ['\r\n', '\n', '\r', '.', '..', '\r\n.\r\n', '\r\n..\r\n', '\n.\n', 'a', 'RSET\r\n'];
    const mails = fc.array(fc.constantFrom(...words), { maxLength: 40 });
    const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(mails, sizes, async (parts, lengths) => {
        const pieces = cut(Buffer.from(parts.join('')), lengths);
        const { pieces: _own, ...read } = await readBy(takeDots(new SMTPStream()), pieces);
        const { pieces: _theirs, ...expected } = await readBy(new SMTPStream(), pieces);
        expect(read).to.deep.equal(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('are handed on in as many pieces as they came in, also where every line is protected.', async () => {
    const pieces = Array.from({ length: 4 }, () => Buffer.from('..\r\n'.repeat(16_384)));
    const read = await readBy(takeDots(new SMTPStream()), [...pieces, Buffer.from('.\r\n')]);
    expect(read.text).to.equal('.\r\n'.repeat(4 * 16_384));
    expect(read.isOver).to.equal(true);
    expect(read.pieces).to.be.at.most(pieces.length + 1);
  });

  it('are the same from blocks, which take at most twice their size and 4 kB.', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }), (lengths) => {
        const blocks = new Blocks();
        const pieces = lengths.map((length, index) => Buffer.alloc(length, index + 1));
        for (const piece of pieces) blocks.add(piece);
        const bytes = lengths.reduce((sum, length) => sum + length, 0);
        expect(blocks.heldBytes()).to.be.within(bytes, 2 * bytes + 4_096);
        expect(blocks.take().equals(Buffer.concat(pieces))).to.equal(true);
        expect(blocks.take()).to.have.length(0);
      }),
    );
    const blocks = new Blocks();
    for (let i = 0; i < 100_000; i += 1) blocks.add(Buffer.from('x'));
    expect(blocks.heldBytes()).to.be.below(200_000);
  });
});

function cut(bytes: Buffer, lengths: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const to = from + lengths[turn % lengths.length]!;
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

/** The content of a mail, whether it ended, and the commands behind it. */
async function readBy(parser: SMTPStream, given: Buffer[]) {
  const [pieces, commands]: [Buffer[], string[]] = [[], []];
  let isOver = false;
  parser.oncommand = (command, done) => {
    commands.push(command.toString());
    done?.();
  };
  const stream = parser.startDataMode();
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('end', () => {
    isOver = true;
    parser.continue();
  });
  for (const piece of given) await new Promise((resolve) => parser.write(piece, resolve));
  // The last piece is read in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  const text = Buffer.concat(pieces).toString();
  const open = { bytes: parser.dataBytes, held: String(parser._lastBytes), rest: parser._remainder };
  return { text, isOver, commands, pieces: pieces.length, ...open };
}
