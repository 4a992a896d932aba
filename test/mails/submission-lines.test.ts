import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { LineLengths } from '../../core/mail/compose/mime/wire-safe.ts';
import { type Post, SENDER, startPost } from '../delivery/support.ts';
import { signatureVerdicts } from '../support/mail/signatures.ts';
import { emailIdOf, openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';
import { seededRandom } from '../support/random.ts';

/** The bytes of a text in UTF-8, each as a character. */
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const LINE_MAX = 998;

describe('A mail by SMTP that a relay without 8BITMIME cannot carry as it came', () => {
  let post: Post;
  let door: SubmissionDoor;
  before(async () => {
    post = await startPost({ sink: { eightBit: false } });
    door = await openSubmission({ deps: post.environment.deps, key: post.own.projectKey });
  });
  after(async () => {
    await door.close();
    await post.stop();
  });
  beforeEach(() => post.sink.ledger.reset());

  /** The header with the empty line. */
  const head = (more: string) =>
    `From: Shop <${SENDER}>\nTo: Ada <ada@in.test>\nSubject: Hello\nMIME-Version: 1.0\n${more}\n`;

  /** Line by line, with a byte in each character. */
  async function hand(raw: string): Promise<string> {
    const { socket, ask } = await door.session();
    for (const command of ['MAIL FROM:<app@client.example>', 'RCPT TO:<ada@in.test>', 'DATA']) await ask(command);
    socket.write(Buffer.from(`${raw.replace(/\r?\n/g, '\r\n')}\r\n.\r\n`, 'latin1'));
    return ask('NOOP').finally(() => socket.destroy());
  }

  /** As it arrived, with the verdicts on its signatures. */
  async function sent(raw: string) {
    await post.settled(emailIdOf({ response: await hand(raw) }), 'sent');
    const arrived = post.sink.ledger.messages.at(-1)?.raw ?? '';
    const [domain] = (await post.own.client.get('/domains')).body.data.domains;
    expect(await signatureVerdicts(arrived, domain)).to.deep.equal(['pass', 'pass']);
    expect(Math.max(...arrived.split('\r\n').map((line) => line.length))).to.be.at.most(LINE_MAX);
    expect(arrived).to.match(/^[\0-\x7f]*$/);
    return { arrived, read: await PostalMime.parse(Buffer.from(arrived, 'latin1')) };
  }

  it('has its long lines in quoted-printable or base64, and its signatures hold', async () => {
    const long = 'A word and more. '.repeat(200).trimEnd();
    const plain = await sent(`${head('Content-Type: text/plain; charset=us-ascii\n')}${long}\nNext.`);
    expect(plain.arrived).to.contain('Content-Transfer-Encoding: quoted-printable\r\n');
    expect(plain.read.text?.trimEnd()).to.equal(`${long}\nNext.`);
    const file = Buffer.from('%PDF '.repeat(2_000));
    const parts =
      `--b\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(`<p>${long}</p>`).toString('base64')}\n` +
      `--b\nContent-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=a.pdf\n\n${file.toString('base64')}\n--b--`;
    const { read } = await sent(`${head('Content-Type: multipart/mixed; boundary=b\n')}\n${parts}`);
    expect(read.html?.trimEnd()).to.equal(`<p>${long}</p>`);
    expect(Buffer.from(read.attachments[0]?.content as ArrayBuffer)).to.deep.equal(file);
  });

  it('has its bytes above 127 in an encoding, in each part, and leaves as 7-bit mail', async () => {
    const text = `${head('Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n')}${utf8('Grüße')}`;
    const plain = await sent(text);
    expect(plain.read.text?.trimEnd()).to.equal('Grüße');
    const parts =
      `--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nWith many kind regards, Gr\u00fc\u00dfe\n` +
      `--b\nContent-Type: text/plain; charset=utf-8\n\n${utf8('Добрый день')}\n--b--`;
    const type = 'Content-Type: multipart/alternative; boundary=b\nContent-Transfer-Encoding: 8bit\n';
    const { arrived, read } = await sent(`${head(type)}${parts}`);
    expect(arrived.match(/^Content-Transfer-Encoding: .*$/gm)).to.deep.equal([
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Transfer-Encoding: base64',
    ]);
    expect(read.text).to.contain('Grüße').and.contain('Добрый день');
  });

  it('fails with the reason where a header has such bytes', async () => {
    const emailId = emailIdOf({ response: await hand(`${head(`X-Note: ${utf8('Grüße')}\n`)}Hello.`) });
    const { reason, recipients } = await post.settled(emailId, 'failed', 'bounced');
    expect(JSON.stringify([reason, recipients])).to.contain('does not take 8-bit messages');
    expect(post.sink.ledger.total).to.equal(0);
  });

  it('has a long header folded at white space, and is refused where that cannot be', async () => {
    const names = Array.from({ length: 80 }, (_, index) => `<${index}.${'x'.repeat(20)}@app.example>`).join(' ');
    const { arrived } = await sent(`${head(`References: ${names}\n`)}Hello.`);
    expect(arrived.replace(/\r\n /g, ' ')).to.contain(`References: ${names}\r\n`);
    const count = () => post.environment.deps.db.messages.countDocuments({ projectId: post.own.project._id });
    const before = await count();
    for (const value of ['x'.repeat(2_000), `a${' '.repeat(2_000)}b`])
      expect(await hand(`${head(`X-Long: ${value}\n`)}Hello.`)).to.match(
        /^554 5\.6\.0 x-long has a line above 998 characters that cannot be folded$/,
      );
    const signed = 'Content-Type: multipart/signed; boundary=b; protocol="application/pgp-signature"\n';
    expect(await hand(`${head(signed)}--b\n\n${'x'.repeat(1_000)}\n--b--`)).to.match(
      /^554 5\.6\.0 A signed or encrypted mail may have lines of 998 characters at most$/,
    );
    expect(await count()).to.equal(before);
    emailIdOf({ response: await hand(`${head(signed)}--b\n\n${'x'.repeat(998)}\n--b--`) });
  });

  it('is found by its long lines however its bytes arrive', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 200; round += 1) {
      const lengths = Array.from({ length: 4 }, () => [0, 5, 990, 997, 998, 999, 1_000][Math.floor(random() * 7)] ?? 0);
      const text = lengths.map((length) => `${'x'.repeat(length)}\r\n`).join('');
      const seen = new LineLengths();
      let isLong = false;
      for (let from = 0; from < text.length; ) {
        const to = from + 1 + Math.floor(random() * 1_500);
        isLong = seen.sees(text.slice(from, to));
        from = to;
      }
      expect(isLong, lengths.join(' ')).to.equal(Math.max(...lengths) > LINE_MAX);
    }
  });
});
