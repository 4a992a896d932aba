import { expect } from 'chai';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { type Servers, startServers } from '../../stack/servers/all.ts';
import { temporaryFolder } from './temporary.ts';

const hostile = '"><img src=x onerror=1>';

describe('The mailbox', () => {
  const folder = temporaryFolder();
  let servers: Servers;
  let page: string;

  before(async () => {
    servers = await startServers({ dataDir: folder(), kinds: ['mailbox'] });
    page = servers.mailbox?.pageUrl ?? '';
  });
  after(() => servers.stop());
  beforeEach(() => fetch(`${page}/email/all`, { method: 'DELETE' }));

  const read = async (path: string) => (await fetch(page + path)).text();
  const mails = async () => JSON.parse(await read('/email'));
  async function send(mail: SendMailOptions): Promise<void> {
    const transport = createTransport(servers.mailbox?.url);
    await transport.sendMail({ from: 'news@demo.everpost.test', to: 'ada@example.com', text: 'Hello', ...mail });
    transport.close();
  }

  it('A mail put in by SMTP is answered by GET /email with its envelope, parts, headers and attachments.', async () => {
    const attachments = [{ filename: 'plan.txt', content: 'the plan' }];
    await send({
      to: 'Ada <ada@example.com>',
      bcc: 'eve@example.com',
      subject: 'Grüße',
      html: '<b>Hello</b>',
      attachments,
    });
    const [mail] = await mails();
    expect(mail).to.include({ subject: 'Grüße', text: 'Hello\n', html: '<b>Hello</b>\n' });
    expect(mail.from).to.deep.equal({ address: 'news@demo.everpost.test', name: '' });
    expect(mail.to).to.deep.equal([{ address: 'ada@example.com', name: 'Ada' }]);
    expect(mail.envelope).to.deep.equal({
      from: 'news@demo.everpost.test',
      to: ['ada@example.com', 'eve@example.com'],
    });
    expect(mail.headers['mime-version']).to.equal('1.0');
    expect(mail.attachments[0]).to.include({ filename: 'plan.txt', size: 8 });
    expect(await read(mail.attachments[0].url)).to.equal('the plan');
    expect(await read(`/email/${mail.id}/source`)).to.match(/^From: news@demo/);
    expect(JSON.parse(await read(`/email/${mail.id}`))).to.deep.equal(mail);
  });

  it('GET /email answers the newest first, and DELETE /email/all leaves nothing.', async () => {
    await send({ subject: 'first' });
    await send({ subject: 'second' });
    expect((await mails()).map(({ subject }: { subject: string }) => subject)).to.deep.equal(['second', 'first']);
    await fetch(`${page}/email/all`, { method: 'DELETE' });
    expect(await mails()).to.deep.equal([]);
  });

  it('The page lists a mail and shows it, and everything that came with it is escaped.', async () => {
    await send({
      subject: hostile,
      from: `"${hostile.replace('"', '')}" <a@b.test>`,
      text: hostile,
      headers: { 'X-Note': hostile },
    });
    const [{ id }] = await mails();
    for (const path of ['/', `/mail/${id}`, `/mail/${id}/text`, `/mail/${id}/headers`, `/mail/${id}/source`]) {
      const html = await read(path);
      expect(html, path).to.contain('&gt;&lt;img src=x onerror=1&gt;').and.not.to.contain('<img');
    }
  });

  it('The HTML of a mail runs nothing and asks no other host: it is in a sandbox with a policy of its own.', async () => {
    await send({ html: '<script>alert(1)</script>' });
    const [{ id }] = await mails();
    const { headers } = await fetch(`${page}/email/${id}/html`);
    expect(headers.get('content-security-policy'))
      .to.match(/^sandbox [^;]*; default-src 'none'/)
      .and.not.contain('script');
    expect(await read(`/mail/${id}`)).to.match(/<iframe [^>]*sandbox="allow-popups/);
  });

  it('Another web site can neither clear the mailbox nor read it under a name of its own.', async () => {
    await send({});
    const cleared = await fetch(`${page}/email/all`, { method: 'DELETE', headers: { Origin: 'http://evil.test' } });
    expect(cleared.status).to.equal(403);
    expect(await mails()).to.have.length(1);
  });

  it('Open pages hear of new mail at once.', async () => {
    const events = await fetch(`${page}/events`);
    const reader = events.body!.getReader();
    await reader.read();
    await send({});
    const { value } = await reader.read();
    await reader.cancel();
    expect(Buffer.from(value!).toString()).to.equal('data: changed\n\n');
  });

  it('Mails survive a kill -9 and a restart.', async () => {
    await send({ subject: 'still here' });
    await servers.mailbox?.kill('SIGKILL');
    await servers.mailbox?.start();
    expect((await mails())[0].subject).to.equal('still here');
  });
});
