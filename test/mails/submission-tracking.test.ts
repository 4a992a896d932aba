import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { editParts, rewriteHtmlPart } from '../../core/mail/compose/mime/html-parts.ts';
import { type Post, SENDER, startPost } from '../delivery/support.ts';
import { firstExcess, HOLD_MS_MAX, leastOf } from '../linear/cpu.ts';
import { longestHold } from '../linear/hold.ts';
import { emailIdOf, openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';

const CPU_MS_MAX = 1_000;
const REPEATS = 3;
const SIZES = [25_000, 50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000, 3_200_000];

/** Half of it parts with boundaries of their own, half of it a text that every one of them nearly matches. */
function mailOfBoundaries(size: number, length: number): string {
  const part = `--b\r\nContent-Type: multipart/mixed; boundary="x${'-'.repeat(length - 1)}"\r\n\r\n`;
  const parts = part.repeat(Math.min(199, size / 2 / part.length));
  const text = '-'.repeat(size / 2);
  return `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b--\r\n`;
}

describe('X-Everpost-Track', () => {
  let post: Post;
  let door: SubmissionDoor;
  before(async () => {
    post = await startPost();
    door = await openSubmission({ deps: post.environment.deps, key: post.own.projectKey });
  });
  after(async () => {
    await door.close();
    await post.stop();
  });
  beforeEach(() => post.sink.ledger.reset());

  const html = '<p>Grüße <a href="https://shop.example/?a=1&amp;b=2">Shop</a></p>';

  async function sent(track: string | null, more: object = {}) {
    const headers = track === null ? {} : { 'X-Everpost-Track': track };
    const mail = { from: SENDER, to: 'ada@in.test', subject: 'x', text: 'See https://shop.example/', html, headers };
    const emailId = await door.send({ ...mail, ...more });
    expect(await post.sink.ledger.wait(1, 15_000)).to.equal(true);
    const raw = post.sink.ledger.messages[0]?.raw ?? '';
    return { emailId, raw, mail: await PostalMime.parse(Buffer.from(raw, 'latin1')) };
  }

  it('with clicks and opens rewrites the HTML part alone: its links redirect and its pixel is counted', async () => {
    const attachments = [{ filename: 'a.html', content: html }];
    const { emailId, raw, mail } = await sent('opens, clicks', { attachments });
    expect(raw).to.not.match(/x-everpost/i);
    expect(mail.text).to.equal('See https://shop.example/\n');
    expect(new TextDecoder().decode(mail.attachments[0]?.content as ArrayBuffer)).to.equal(html);
    const link = /href="([^"]+\/t\/c\/[^"]+)"/.exec(mail.html ?? '')?.[1] ?? '';
    const pixel = /src="([^"]+\/t\/o\/[^"]+)"/.exec(mail.html ?? '')?.[1] ?? '';
    expect(mail.html).to.contain('<p>Grüße <a href=').and.contain('>Shop</a>');
    const { url } = post.environment;
    const clicked = await fetch(`${url}${new URL(link).pathname}`, { redirect: 'manual' });
    expect(clicked.headers.get('location')).to.equal('https://shop.example/?a=1&b=2');
    expect((await fetch(`${url}${new URL(pixel).pathname}`)).status).to.equal(200);
    const { content } = await post.settled(emailId, 'sent');
    expect(content).to.include({ trackingOpen: true, trackingClick: true });
  });

  it('with one of them does this one, and without it, or with none, the mail is not touched', async () => {
    const opens = (await sent('opens')).mail.html;
    expect(opens).to.contain('/t/o/').and.not.contain('/t/c/');
    for (const track of ['none', null]) {
      post.sink.ledger.reset();
      expect((await sent(track)).mail.html?.trim()).to.equal(html);
    }
    for (const track of ['all', 'none, opens', 'opens,']) {
      const refused = await sent(track).catch((error: Error) => error.message);
      expect(refused, track).to.match(/554 5\.6\.0 X-Everpost-Track must be/);
    }
  });

  it('in a mail of many long boundaries holds no event loop, and other mail is sent at the same time', async () => {
    const raw = (n: number) =>
      `From: ${SENDER}\nSubject: s${n}\nX-Everpost-Track: opens\n${mailOfBoundaries(430_000, 1_000)}`;
    const holds: number[] = [];
    for (let n = 0; n === 0 || (holds.at(-1)! >= HOLD_MS_MAX && n <= REPEATS); n++) {
      const { holdMs } = await longestHold(async () => {
        const emailId = emailIdOf({ response: await door.hand({ raw: raw(n) }) });
        const beside = await post.send({ to: { email: `beside${n}@in.test` } });
        await post.settled(beside, 'sent');
        await post.settled(emailId, 'sent');
      });
      holds.push(holdMs);
    }
    expect(Math.min(...holds), holds.map((ms) => ms.toFixed(0)).join(', ')).to.be.below(HOLD_MS_MAX);
  });

  describe('finds HTML', () => {
    const shout = (text: string) => text.toUpperCase();
    const edits = (mail: string) => editParts(mail, (part) => rewriteHtmlPart(mail, part, shout));
    const rewritten = (mail: string) => {
      const whole = mail.replace(/\r?\n/g, '\r\n');
      return edits(whole)
        .toReversed()
        .reduce((text, { start, end, text: part }) => text.slice(0, start) + part + text.slice(end), whole);
    };
    const parsed = (mail: string) => PostalMime.parse(Buffer.from(rewritten(mail), 'latin1'));

    it('as the only part, in each encoding and character set', async () => {
      const body = '<p>gr\u00fc\u00dfe = ok</p>';
      const latin = Buffer.from(body, 'latin1').toString('latin1');
      const utf8 = Buffer.from(body).toString('latin1');
      const samples = [
        [`Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n${latin}`],
        [`content-type: TEXT/HTML;\n charset="utf-8"\n\n${utf8}`],
        [`Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n${Buffer.from(body).toString('base64')}`],
        [`Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>gr=C3=BC=C3=9F=\ne =3D ok</p>`],
      ];
      for (const [sample = ''] of samples)
        expect((await parsed(`Subject: s\n${sample}\n`)).html?.trim(), sample).to.equal('<P>GRÜSSE = OK</P>');
    });

    it('within parts of parts, and leaves signed, attached and unreadable parts', () => {
      const part = (type: string, body: string, more = '') => `Content-Type: ${type}\n${more}\n${body}`;
      const multi = (kind: string, boundary: string, ...parts: string[]) =>
        part(
          `multipart/${kind}; boundary="${boundary}"`,
          `before\n${parts.map((one) => `--${boundary}\n${one}\n`).join('')}--${boundary}--\nafter\n`,
        );
      const nested = multi(
        'mixed',
        'a',
        multi('alternative', 'a-b', part('text/plain', 'plain'), part('text/html', 'page')),
      );
      expect(rewritten(nested)).to.contain('\r\nPAGE\r\n--a-b--').and.contain('plain').and.contain('before');
      const attached = part('text/html', 'page', 'Content-Disposition: attachment\n');
      for (const left of [
        multi('signed', 's', part('text/html', 'page')),
        multi('mixed', 'm', attached),
        part('text/html; charset=unknown-8', 'page'),
        part('text/html', 'page', 'Content-Transfer-Encoding: x-uuencode\n'),
        part('multipart/mixed', '--\npage'),
        'Content-Type: text/html',
        '',
      ])
        expect(rewritten(left)).to.equal(left.replace(/\n/g, '\r\n'));
    });

    it('in time that does not grow with the square of hostile input', () => {
      const boundary = `${'Content-Type: multipart/mixed; boundary=x\n\n--x\n'.repeat(2_000)}`;
      const lines = `Content-Type: multipart/mixed; boundary=x\n\n${'--x'.repeat(400_000)}`;
      for (const hostile of [boundary, lines, `Content-Type: text/html;${' charset='.repeat(100_000)}`])
        expect(leastOf(() => rewritten(hostile), CPU_MS_MAX)).to.be.below(CPU_MS_MAX);
    });

    it('in time that doubles at most when a mail of many long boundaries doubles', () => {
      for (const length of [60, 1_000])
        expect(
          firstExcess(SIZES, (size) => {
            const mail = mailOfBoundaries(size, length);
            return () => edits(mail);
          }),
        ).to.equal(null);
    });

    it('within a boundary of 70 characters, and reads a mail with a longer one as one part', () => {
      const mail = (boundary: string) =>
        `Content-Type: multipart/mixed; boundary="${boundary}"\n\n--${boundary}\nContent-Type: text/html\n\npage\n--${boundary}--\n`;
      expect(rewritten(mail('b'.repeat(70)))).to.contain('\r\nPAGE\r\n');
      expect(rewritten(mail('b'.repeat(71)))).to.contain('\r\npage\r\n');
    });

    it('in the part of the mail that has the boundary, the outermost where two have the same', () => {
      const html = 'Content-Type: text/html\n\npage\n';
      const same = `Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=a\n\nprelude\n--a\n${html}--a--\n--a\n${html}`;
      expect(rewritten(same).split('PAGE')).to.have.length(2);
      const longer = `Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=ab\n\n--ab \t\n${html}--ab--\n--a\n${html}--a--\n--a\n${html}`;
      expect(rewritten(longer).split('PAGE')).to.have.length(3);
    });
  });
});

describe('A tracked mail that takes more processor time than it may', () => {
  let post: Post;
  let door: SubmissionDoor;
  before(async () => {
    post = await startPost({ largeLimits: { cpuMs: 50, cpuMsPerMegabyte: 0 } });
    door = await openSubmission({ deps: post.environment.deps, key: post.own.projectKey });
  });
  after(async () => {
    await door.close();
    await post.stop();
  });

  it('fails with the reason, and the next one is sent', async () => {
    const lines = '\n--x'.repeat(5_000_000);
    const head = `From: ${SENDER}\nSubject: s\nX-Everpost-Track: opens\nContent-Type: multipart/mixed; boundary=b\n`;
    const slow = emailIdOf({ response: await door.hand({ raw: `${head}${lines}` }) });
    const { reason } = await post.settled(slow, 'failed');
    expect(reason).to.equal('The mail cannot be made: This takes more processor time than it may.');
    const headers = { 'X-Everpost-Track': 'opens' };
    const next = await door.send({ from: SENDER, to: 'ada@in.test', html: '<p>next</p>', headers });
    await post.settled(next, 'sent');
  }).timeout(60_000);
});
