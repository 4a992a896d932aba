import { expect } from 'chai';
import type { Email } from 'postal-mime';
import { type Post, startPost } from '../delivery/support.ts';
import { png } from '../providers/images.ts';
import { uploadPicture } from '../support/client.ts';
import type { Tenant } from '../support/environment.ts';
import { signatureVerdicts } from '../support/mail/signatures.ts';
import { until } from '../support/wait.ts';

describe('Pictures that go inside a mail', () => {
  let post: Post;
  let other: Tenant;
  let readNames: string[] = [];
  before(async () => {
    post = await startPost();
    other = await post.environment.newTenant('Other');
    const { media } = post.environment.deps;
    const read = media.read.bind(media);
    media.read = (name, held) => {
      readNames.push(name);
      return read(name, held);
    };
  });
  beforeEach(() => {
    readNames = [];
  });
  after(() => post.stop());

  let sides = 10;
  /** A picture of its own for each call. */
  async function upload(tenant: Tenant = post.own, bytes = png(++sides, 7)) {
    const { body, text } = await uploadPicture(tenant.client, bytes);
    expect(body.data, text).to.not.equal(undefined);
    const { id, url } = body.data as { id: string; url: string };
    return { id, url, bytes, name: url.split('/').at(-1) as string };
  }
  const to = { email: 'reader@in.test' };
  const inside = { inlinePictures: true, trackingClick: false, trackingOpen: false };
  const send = (html: string, fields: object = {}) => post.send({ to, ...inside, html, ...fields });
  const partsOf = ({ attachments }: Email) =>
    attachments.map(({ contentId, disposition, mimeType, content }) => ({
      ...{ contentId, disposition, mimeType },
      bytes: Buffer.from(content as ArrayBuffer),
    }));
  const idOf = (name: string) => `${name.slice(0, 32)}@inline`;
  const part = ({ name, bytes }: { name: string; bytes: Buffer }) => ({
    ...{ contentId: `<${idOf(name)}>`, disposition: 'inline', mimeType: 'image/png', bytes },
  });
  const shown = (...urls: string[]) => urls.map((url) => `<img src="${url}" alt="">`).join('');

  it('are parts that its HTML names, once each, and the mail is signed with them', async () => {
    const [logo, hill] = [await upload(), await upload()];
    const html = `<img src="${logo.url}" alt="Logo"><td background='${hill.url}'><img src=${logo.url} alt="">
      <p style="background:url(${hill.url})"><a href="${logo.url}">Large</a></p>`;
    const answer = await send(html);
    const { mail, raw } = await post.arrived(answer);
    expect(partsOf(mail)).to.deep.equal([part(logo), part(hill)]);
    const [logoId, hillId] = [idOf(logo.name), idOf(hill.name)];
    expect(
      mail.html,
    ).to.equal(`<img src="cid:${logoId}" alt="Logo"><td background='cid:${hillId}'><img src=cid:${logoId} alt="">
      <p style="background:url(cid:${hillId})"><a href="${logo.url}">Large</a></p>\n`);
    expect(raw).to.match(/Content-Type: multipart\/related; type="text\/html"/);
    const domain = (await post.own.client.get('/domains')).body.data.domains[0];
    expect(await signatureVerdicts(raw, domain)).to.deep.equal(['pass', 'pass']);
    // The stored mail, and so every page that shows it, has links.
    const { data } = (await post.own.client.get(`/emails/${answer.body.data.emailId}`)).body;
    expect(data.content.html).to.equal(html);
  });

  it('are read once for many mails', async () => {
    const logo = await upload();
    const recipients = Array.from({ length: 5 }, (_, index) => ({ email: `r${index}@in.test` }));
    const bulk = await post.bulk({ recipients, ...inside, html: shown(logo.url) });
    expect(bulk.status, bulk.text).to.equal(200);
    await send(shown(logo.url));
    await until(
      async () => post.sink.ledger.messages.filter(({ raw }) => raw?.includes(`<${idOf(logo.name)}>`)).length,
      (count) => count === 6,
    );
    expect(readNames).to.deep.equal([logo.name]);
  });

  it('stay links without the field, when they are gone, not ours, or of another project, which is never read', async () => {
    const [logo, gone, theirs] = [await upload(), await upload(), await upload(other)];
    const html = shown(logo.url, gone.url, theirs.url, `https://example.com/media/${logo.name}`);
    const off = await post.arrived(await send(html, { inlinePictures: false }));
    expect([off.mail.attachments, off.mail.html]).to.deep.equal([[], `${html}\n`]);
    expect(readNames).to.deep.equal([]);
    const removed = await post.own.client.delete(`/v1/media/${gone.id}`);
    expect(removed.status, removed.text).to.be.within(200, 204);
    const { mail } = await post.arrived(await send(html));
    expect(partsOf(mail)).to.deep.equal([part(logo)]);
    expect(mail.html).to.equal(`${html.replace(logo.url, `cid:${idOf(logo.name)}`)}\n`);
    expect(readNames).to.deep.equal([logo.name]);
  });

  it('stay a link where the file is lost', async () => {
    const lost = await upload();
    await post.environment.deps.media.remove(lost.name);
    const { mail } = await post.arrived(await send(shown(lost.url)));
    expect([mail.attachments, mail.html]).to.deep.equal([[], `${shown(lost.url)}\n`]);
  });

  it('are those of a template too, next to files of the call', async () => {
    const logo = await upload();
    const template = { templateName: 'Inside', subject: 'Hello', emailTemplate: shown(logo.url) };
    const { templateId } = (await post.own.client.post('/templates', template)).body.data;
    const attachments = [{ fileName: 'a.txt', content: Buffer.from('a').toString('base64') }];
    const { mail } = await post.arrived(await post.send({ to, templateId, ...inside, attachments }));
    expect(mail.attachments.map(({ filename, disposition }) => [filename, disposition])).to.deep.equal([
      ['picture-1.png', 'inline'],
      ['a.txt', 'attachment'],
    ]);
    expect(mail.html).to.equal(`${shown(`cid:${idOf(logo.name)}`)}\n`);
  });

  it('are 400 with the field when they are too many or too large, and nothing is stored', async () => {
    const many: string[] = [];
    for (let count = 0; count < 21; count += 1) many.push((await upload()).url);
    const large = await upload(post.own, Buffer.concat([png(++sides, 7), Buffer.alloc(500_000)]));
    const { db } = post.environment.deps;
    const before = await db.messages.countDocuments({});
    for (const html of [shown(...many), shown(large.url)]) {
      const { status, body } = await send(html);
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(/^inlinePictures: the (?:mail shows 21 pictures|pictures have 500\d+ bytes)/);
    }
    expect((await send('<p>x</p>', { inlinePictures: 'yes' })).body.error.details).to.match(/^inlinePictures/);
    expect(await db.messages.countDocuments({})).to.equal(before);
    const { mail } = await post.arrived(await send(shown(...many.slice(0, 20))));
    expect(mail.attachments).to.have.length(20);
  });
});
