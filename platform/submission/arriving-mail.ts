import { createHash, type Hash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { ArrivingFile } from '../../core/mail/accept/submission/arriving-file.ts';
import { type SubmittedMail, submissionContent, submissionId } from '../../core/mail/accept/submission/submit.ts';
import { LINE_LENGTH_MAX, LineLengths } from '../../core/mail/compose/mime/wire-safe.ts';
import { reply } from '../inbound/reply.ts';
import { type Head, readHead } from './head.ts';
import { ArrivingLines } from './lines.ts';
import type { Arrival } from './loops.ts';

const HEAD_BYTES_MAX = 262_144;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
const EIGHT_BIT = /[^\u0000-\u007f]/;

/** The parts of a mail that do not depend on its envelope. */
type ReadMail = Omit<SubmittedMail, 'recipients'> & Pick<Head, 'named'>;

/**
 * A mail as it arrives.
 *
 * - head: its header is not complete; it is held
 * - body: the header was read, and left out what must not leave; all further bytes go to the file
 */
export class ArrivingMail {
  readonly seed = new ObjectId();
  readonly at: Date;
  readonly file: ArrivingFile;
  readonly #arrival: Arrival;
  readonly #lines = new ArrivingLines();
  readonly #hash: Hash = createHash('sha256');
  #headText = '';
  #head: Head | null = null;
  #isEightBit = false;
  readonly #lengths = new LineLengths();
  #isLong = false;

  constructor(deps: Deps, project: Pick<Project, '_id'>, protocol: string) {
    this.at = deps.clock.now();
    this.#arrival = {
      ...{ emailId: submissionId(this).toHexString(), projectId: project._id.toHexString(), at: this.at, protocol },
      mailHost: deps.config.mailHost,
    };
    this.file = new ArrivingFile(deps, { content: submissionContent(project, this), fileId: new ObjectId() });
  }

  /** In memory. */
  heldBytes(): number {
    return this.#headText.length + this.file.heldBytes();
  }

  /** Throws the reply to a mail that cannot be taken. */
  async write(bytes: Buffer): Promise<void> {
    await this.#read(this.#lines.next(bytes));
  }

  async end(): Promise<ReadMail> {
    await this.#read(this.#lines.end());
    // A mail may end with its header.
    const {
      identity: _identity,
      text: _text,
      isSealed: _isSealed,
      ...head
    } = this.#head ?? (await this.#endHead(this.#headText));
    const read = { ...head, eightBit: this.#isEightBit, longLines: this.#isLong };
    return { ...read, fingerprint: this.#hash.digest('base64url'), file: await this.file.end() };
  }

  async #read(text: string): Promise<void> {
    if (this.#head) return this.#readBody(text);
    const from = Math.max(0, this.#headText.length - 3);
    this.#headText += text;
    const end = endOfHead(this.#headText, from);
    if (end === null && this.#headText.length <= HEAD_BYTES_MAX) return;
    if (end === null || end.head > HEAD_BYTES_MAX)
      throw reply(554, `5.6.0 The header of a mail may have ${HEAD_BYTES_MAX} bytes`);
    const whole = this.#headText;
    await this.#endHead(whole.slice(0, end.head));
    await this.#readBody(whole.slice(end.body));
  }

  async #endHead(text: string): Promise<Head> {
    const head = readHead(text, this.#arrival);
    this.#head = head;
    this.#headText = '';
    this.#hash.update(`${head.identity}\n\n`);
    await this.#store(head.text);
    return head;
  }

  async #readBody(text: string): Promise<void> {
    if (text === '') return;
    this.#hash.update(text, 'latin1');
    this.#isLong = this.#lengths.sees(text);
    if (this.#isLong && this.#head?.isSealed)
      throw reply(554, `5.6.0 A signed or encrypted mail may have lines of ${LINE_LENGTH_MAX} characters at most`);
    await this.#store(text);
  }

  async #store(text: string): Promise<void> {
    this.#isEightBit ||= EIGHT_BIT.test(text);
    await this.file.write(Buffer.from(text, 'latin1'));
  }
}

/** The header ends with an empty line, which may be the first line. */
function endOfHead(text: string, from: number): { head: number; body: number } | null {
  if (text.startsWith('\r\n')) return { head: 0, body: 2 };
  const at = text.indexOf('\r\n\r\n', from);
  return at === -1 ? null : { head: at + 2, body: at + 4 };
}
