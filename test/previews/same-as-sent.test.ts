import { expect } from 'chai';
import PostalMime, { type Email } from 'postal-mime';
import { escapeHtml } from '../../core/base/text/html.ts';
import { readClickToken } from '../../core/mail/compose/tokens.ts';
import { SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';

const HTML = `<!doctype html>
<html><head><title>News</title><style>p { color: #222 }</style></head>
<body bgcolor="#fff">
<p>Grüße {{firstName default="friend"}} {{lastName}}, plan {{plan}} &amp; {{contactProperties.plan}} (${'long '.repeat(300)})</p>
{{#if vip}}<p>You are {{vip}}</p>{{else}}<p>Not yet <b>{{email}}</b></p>{{/if}}
<p><a href="https://shop.example.com/sale?a=1&amp;b={{plan}}#top" class='x'>Sale</a>
<a href='http://shop.example.com/plain'>plain</a> <a href="{{link}}">from a variable</a> <a href="mailto:x@example.com">m</a>
<a data-no-track href="https://shop.example.com/untracked">u</a></p>
<img src="https://cdn.example.com/a.png" alt="A"><p>{{{raw}}}</p>
<a href="{{unsubscribe}}">Unsubscribe</a> <a href="{{preferencesUrl}}">Choose</a> <a href="{{viewInBrowserUrl}}">View</a>
</body></html>`;
const PROPERTIES = { plan: 'pro & <b>', vip: '', link: 'https://shop.example.com/x?y=1&z=2', raw: '<i>raw</i>' };

describe('A preview is the mail that arrives', () => {
  let stage: Stage;
  let templateId: string;
  before(async () => {
    stage = await startStage();
    const { client } = stage.own;
    await client.post('/contacts', {
      ...{ email: 'ada@example.org', firstName: 'Ada', lastName: 'Lövelace <3' },
      contactProperties: PROPERTIES,
    });
    const template = {
      ...{ templateName: 'News', emailTemplate: HTML, subject: 'News for {{firstName}}', previewText: 'For {{plan}}' },
      ...{ templateType: 'marketing', utm: { source: 'everpost', campaign: 'march' } },
    };
    templateId = (await client.post('/templates', template)).body.data.templateId;
  });
  after(() => stage.stop());

  const preview = async (path: string, body: object) => {
    const { status, body: answer, text } = await stage.own.client.post(path, body);
    expect(status, text).to.equal(200);
    return answer.data;
  };
  const arrived = (isIt: (mail: Email) => boolean): Promise<Email> =>
    until(
      async () => {
        const raws = stage.sink.ledger.messages.flatMap(({ raw }) => raw ?? []);
        const mails = await Promise.all(raws.map((raw) => PostalMime.parse(Buffer.from(raw, 'latin1'))));
        return mails.find(isIt) as Email;
      },
      (found) => found !== undefined,
    );
  /** Tracked links are their targets, the pixel is gone, and the link to unsubscribe belongs to no recipient. */
  const withoutTracking = (html: string | undefined) => {
    const { publicUrl } = stage.deps.config;
    return (html ?? '')
      .replaceAll('\r\n', '\n')
      .replaceAll(new RegExp(`<img src="${publicUrl}/t/o/[^>]*>`, 'g'), '')
      .replaceAll(new RegExp(`${publicUrl}/t/c/([\\w-]+)`, 'g'), (_, token: string) =>
        escapeHtml(readClickToken(stage.deps.config, token)!.target),
      )
      .replaceAll(new RegExp(`${publicUrl}/([upv])/[\\w-]+`, 'g'), `${publicUrl}/$1/preview`)
      .trim();
  };
  const expectSame = (mail: Email, shown: { subject: string; html: string; text: string }) => {
    expect(withoutTracking(mail.html)).to.equal(shown.html.trim());
    // Lines are filled up to a width, and a link with a signature is longer.
    expect(words(withoutTracking(mail.text))).to.deep.equal(words(shown.text));
    expect(mail.subject).to.equal(shown.subject);
  };

  it('of a campaign, with the data of a contact, while it is a draft and when it was sent', async () => {
    const toLists = [await stage.list(1, () => 'ada@example.org')];
    const draft = await stage.create({
      subject: 'Campaign for {{firstName}}',
      htmlTemplate: undefined,
      templateId,
      toLists,
      publish: false,
    });
    const { id } = draft.body.data;
    const before = await preview(`/campaigns/${id}/preview`, { email: 'Ada@example.org' });
    await stage.own.client.patch(`/campaigns/${id}`, { publish: true, sendNow: true });
    const mail = await arrived(({ subject }) => subject === 'Campaign for Ada');
    expect(mail.html).to.contain('/t/c/').and.to.contain('/t/o/').and.to.contain('Gr');
    expectSame(mail, before);
    await stage.until(id, 'sent');
    const [message] = await stage.messages(id);
    const after = await preview(`/campaigns/${id}/preview`, { contactId: message!.contactId });
    expect({ ...after, previewUrl: '' }).to.deep.equal({ ...before, previewUrl: '' });
    const content = (await stage.own.client.get(`/emails/${message!._id}/content`)).body.data;
    expectSame(mail, content);
    const page = await fetch(content.previewUrl);
    expect((await page.text()).trim()).to.equal(withoutTracking(mail.html));
  });

  it('of a template that is sent by a call, saved or not', async () => {
    const dynamicData = { plan: 'call', firstName: 'Given', raw: '', link: 'https://shop.example.com/call' };
    const mail = { from: { email: SENDER }, to: { email: 'ada@example.org' }, templateId, dynamicData };
    const { emailId } = (
      await stage.own.client.post('/mails/send', { ...mail, trackingClick: true, trackingOpen: true })
    ).body.data;
    const sent = await arrived(({ messageId }) => messageId?.includes(emailId) ?? false);
    expect(sent.html).to.contain('/t/c/').and.to.contain('/t/o/');
    const template = (await stage.own.client.get(`/templates/${templateId}`)).body.data;
    const asked = { dynamicData, email: 'ada@example.org' };
    expectSame(sent, await preview(`/templates/${templateId}/preview`, asked));
    expectSame(sent, (await stage.own.client.get(`/emails/${emailId}/content`)).body.data);
    const { emailTemplate, subject, previewText, utm } = template;
    expectSame(sent, await preview('/templates/preview', { emailTemplate, subject, previewText, utm, ...asked }));
  });

  it('of test mails: a draft of a campaign and a template, with the data of a contact', async () => {
    const draft = await stage.create({
      subject: 'Draft for {{firstName}}',
      htmlTemplate: undefined,
      templateId,
      publish: false,
    });
    const { id } = draft.body.data;
    const contactId = (await stage.own.client.post('/contacts/search/emails', ['ada@example.org'])).body.data
      .contacts[0].id;
    const shown = await preview(`/campaigns/${id}/preview`, { contactId });
    const test = await stage.own.client.post(`/campaigns/${id}/test`, { emails: ['reviewer@example.net'], contactId });
    expect(test.body.data.totalRecipients, test.text).to.equal(1);
    const mail = await arrived(({ subject }) => subject === '[Test] Draft for Ada');
    expect(mail.to?.[0]?.address).to.equal('reviewer@example.net');
    // The address of the mail is that of the reviewer.
    expectSame(mail, {
      subject: `[Test] ${shown.subject}`,
      html: shown.html.replaceAll('ada@example.org', 'reviewer@example.net'),
      text: shown.text.replaceAll('ada@example.org', 'reviewer@example.net'),
    });
    expect(mail.html).to.not.contain('/t/');
    const own = await stage.own.client.post(`/templates/${templateId}/test`, {
      emails: ['ada@example.org'],
      from: { email: SENDER },
    });
    expect(own.status, own.text).to.equal(200);
    const [emailId] = own.body.data.emailIds;
    const ofTemplate = await arrived(({ messageId }) => messageId?.includes(emailId) ?? false);
    const template = await preview(`/templates/${templateId}/preview`, { contactId });
    expectSame(ofTemplate, { ...template, subject: `[Test] ${template.subject}` });
  });

  it('of mail with text alone', async () => {
    const mail = {
      from: { email: SENDER },
      to: { email: 'ada@example.org' },
      subject: 'Text',
      text: 'Hello <b>{{firstName}}</b>',
    };
    const { emailId } = (await stage.own.client.post('/mails/send', mail)).body.data;
    const sent = await arrived(({ messageId }) => messageId?.includes(emailId) ?? false);
    const content = (await stage.own.client.get(`/emails/${emailId}/content`)).body.data;
    expect([content.html, content.text]).to.deep.equal([null, sent.text?.trim()]);
    expect(await (await fetch(content.previewUrl)).text()).to.contain('Hello &lt;b&gt;Ada&lt;/b&gt;');
  });
});

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
