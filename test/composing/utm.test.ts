import { expect } from 'chai';
import { textOfHtml } from '../../core/mail/compose/plain-text.ts';
import { readClickToken } from '../../core/mail/compose/tokens.ts';
import { utmRewrite, withUtm, withUtmInText } from '../../core/templates/html/utm.ts';
import { compileTemplate } from '../../core/templates/language/templates.ts';
import { SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';

const OWN = 'https://mail.example.com/everpost';
const utm = { source: 'news letter', medium: 'email', campaign: 'spring&co' };
const ADDED = 'utm_source=news%20letter&utm_medium=email&utm_campaign=spring%26co';

const CONTENT = `<a href="https://shop.example.com/?a=1&amp;b=2#top">1</a> <a href="https://s3.example.com/x?X-Amz-Signature=1">2</a>
<a href="https://shop.example.com/?utm_source=own">3</a> <a href="mailto:a@example.com">4</a> <a href="{{unsubscribe}}">5</a>`;
const WITH_NAME = `${CONTENT}<a href="https://shop.example.com/{{email}}">6</a>`;
const LINKS = [
  `https://shop.example.com/?a=1&b=2&${ADDED}#top`,
  'https://s3.example.com/x?X-Amz-Signature=1',
  'https://shop.example.com/?utm_source=own',
];

describe('UTM parameters', function () {
  this.timeout(60_000);

  it('are put behind the query and before the fragment, and every other byte stays', () => {
    const cases: Array<[string, string]> = [
      ['https://shop.example.com', `https://shop.example.com?${ADDED}`],
      ['https://shop.example.com/%C3%BC?x=%2F', `https://shop.example.com/%C3%BC?x=%2F&${ADDED}`],
      ['https://shop.example.com/?', `https://shop.example.com/?${ADDED}`],
      ['https://shop.example.com/?a&', `https://shop.example.com/?a&${ADDED}`],
      ['HTTP://shop.example.com/#a?b=c', `HTTP://shop.example.com/?${ADDED}#a?b=c`],
      [
        'https://shop.example.com/confirm?token=x&expires=9',
        `https://shop.example.com/confirm?token=x&expires=9&${ADDED}`,
      ],
      ['https://shop.example.com/?design=1&my_token=2', `https://shop.example.com/?design=1&my_token=2&${ADDED}`],
    ];
    for (const [url, expected] of cases) expect(withUtm(url, utm, OWN)).to.equal(expected);
  });

  it('are not added to own links, those with utm_ or a signature, other schemes, and addresses that would get too long', () => {
    const untouched = [
      `${OWN}/u/token`,
      'mailto:a@example.com',
      'https://shop.example.com/?UTM_Source=x',
      'https://shop.example.com/?a=1&utm%5Fterm=x',
      'https://bucket.s3.amazonaws.com/x?X-Amz-Expires=60&X-Amz-Signature=abc',
      'https://storage.googleapis.com/x?X-Goog-Signature=abc',
      'https://x.blob.core.windows.net/x?se=2026&sig=abc',
      'https://d1.cloudfront.net/x?Policy=a&Signature=b&Key-Pair-Id=c',
      'https://cdn.example.com/x?hdnts=exp',
      'https://shop.example.com/?urlSignature=abc',
      `https://shop.example.com/${'x'.repeat(4_950)}`,
    ];
    for (const url of untouched) expect(withUtm(url, utm, OWN), url.slice(0, 80)).to.equal(url);
  });

  it('are added in a text part to whole addresses, and to no part of one', () => {
    const rewrite = utmRewrite({ source: 'x' }, OWN);
    const cases: Array<[string, string]> = [
      ['See https://a.example.com/b.', 'See https://a.example.com/b?utm_source=x.'],
      [
        '(https://a.example.com/?b=1)\n<http://c.example.com>',
        '(https://a.example.com/?b=1&utm_source=x)\n<http://c.example.com?utm_source=x>',
      ],
      ['https://a.example.com/x_(y)', 'https://a.example.com/x_(y)'],
      [
        '"https://a.example.com/" and a:https://a.example.com/',
        '"https://a.example.com/" and a:https://a.example.com/',
      ],
      [`${OWN}/u/1 https://a.example.com/?utm_term=1`, `${OWN}/u/1 https://a.example.com/?utm_term=1`],
      ['https://[ https://a.example.com', 'https://[ https://a.example.com?utm_source=x'],
    ];
    for (const [text, expected] of cases) expect(withUtmInText(text, rewrite)).to.equal(expected);
    expect(withUtmInText('https://a.example.com', undefined)).to.equal('https://a.example.com');
  });

  it('are added to the links of a text part that is made of the HTML, whether or not values are in them', () => {
    const rewrite = { key: 'x', link: utmRewrite({ source: 'x' }, OWN) };
    const html =
      '<a href="https://a.example.com/">A</a> <a data-no-track href="https://b.example.com/">B</a> {{name}} <a href="{{unsubscribe}}">leave</a>';
    const variables = { name: 'Ada', unsubscribe: `${OWN}/u/1`, path: 'p?q=1' };
    const textOf = (source: string) => {
      const result = compileTemplate(source, 'html');
      if (!result.ok) throw new Error(result.message);
      return textOfHtml(result.template, source, variables, rewrite).replaceAll('\n', ' ');
    };
    const text = `A (https://a.example.com/?utm_source=x) B (https://b.example.com/) Ada leave (${OWN}/u/1)`;
    expect(textOf(html)).to.equal(text);
    expect(textOf(`${html} <a href="https://c.example.com/{{path}}">C</a>`)).to.equal(
      `${text} C (https://c.example.com/p?q=1&utm_source=x)`,
    );
  });

  describe('of mail that is sent', () => {
    let stage: Stage;
    before(async () => {
      stage = await startStage({ sinkOptions: { keepRaw: 100 } });
    });
    after(() => stage.stop());

    const htmlTo = async (email: string): Promise<string> => {
      const found = await until(
        async () => stage.sink.ledger.messages.find(({ to }) => to.includes(email)),
        (message) => message !== undefined,
        { ms: 30_000 },
      );
      return found!
        .raw!.replace(/=\r?\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    };
    const targetsTo = async (email: string) =>
      [...(await htmlTo(email)).matchAll(/\/t\/c\/([A-Za-z0-9_-]+)/g)].map(
        ([, token]) => readClickToken(stage.deps.config, token!)!.target,
      );

    it('are those of the campaign, for links with variables too, and the copy has them', async () => {
      const list = await stage.list(1, () => 'utm1@example.org');
      const id = await stage.launch({ toLists: [list], htmlTemplate: WITH_NAME, utm });
      await stage.until(id, 'sent');
      expect(await targetsTo('utm1@example.org')).to.deep.equal([
        ...LINKS,
        `https://shop.example.com/utm1@example.org?${ADDED}`,
      ]);
      expect(await htmlTo('utm1@example.org')).to.include(`(https://shop.example.com/?a=1&b=2&${ADDED}#top)`);
      expect((await stage.get(id)).utm).to.deep.equal(utm);
      expect((await stage.act(id, 'duplicate')).body.data.utm).to.deep.equal(utm);
      const { body } = await stage.own.client.get(`/campaigns/${id}/links`);
      expect(body.data.links[0].url).to.equal('https://shop.example.com/?a=1&b=2#top');
    });

    it('are those of the template where a campaign has none, and are added without click tracking', async () => {
      const { client } = stage.own;
      const template = { templateName: 'T', subject: 'Hi', emailTemplate: CONTENT, utm };
      const { templateId } = (await client.post('/templates', template)).body.data;
      const list = await stage.list(1, () => 'utm2@example.org');
      const id = await stage.launch({ toLists: [list], htmlTemplate: undefined, templateId, trackingClick: false });
      await stage.until(id, 'sent');
      const html = await htmlTo('utm2@example.org');
      expect(html).to.include(`href="https://shop.example.com/?a=1&amp;b=2&amp;${ADDED.replaceAll('&', '&amp;')}#top"`);
      expect(html).to.include('href="https://s3.example.com/x?X-Amz-Signature=1"');
      expect(html).to.include(`(https://shop.example.com/?a=1&b=2&${ADDED}#top)`);
      const mail = { from: { email: SENDER }, to: { email: 'utm3@example.org' }, templateId };
      expect((await client.post('/mails/send', mail)).status).to.be.within(200, 202);
      expect(await targetsTo('utm3@example.org')).to.deep.equal(LINKS);
    });

    it('are those of the automation', async () => {
      const email = { subject: 'Hi', htmlTemplate: CONTENT, senderEmail: SENDER };
      const made = await stage.own.client.post('/automations', {
        name: 'Utm',
        entryCriteria: { type: 'contact_created' },
        steps: [
          { type: 'wait', delay: { value: 0, unit: 'minutes' } },
          { type: 'email', email },
        ],
        active: true,
        utm,
      });
      expect(made.body.data.utm, made.text).to.deep.equal(utm);
      await stage.own.client.post('/contacts', { email: 'utm4@example.org' });
      expect(await targetsTo('utm4@example.org')).to.deep.equal(LINKS);
    });

    it('are shown by the preview of a template, and taken out with null', async () => {
      const { client } = stage.own;
      const made = await client.post('/templates', { templateName: 'P', subject: 'Hi', emailTemplate: CONTENT, utm });
      const path = `/templates/${made.body.data.templateId}`;
      const html = async () => (await client.post(`${path}/preview`, { dynamicData: {} })).body.data.html;
      expect(await html()).to.include('utm_source=news%20letter');
      expect(await html()).to.include('/u/preview"');
      expect((await client.patch(path, { utm: null })).body.data.utm).to.equal(null);
      expect(await html()).to.not.include('utm_source=news%20letter');
    });

    it('with a fault are refused, with the field', async () => {
      for (const [fault, field] of [
        [{}, 'utm'],
        [{ source: '' }, 'utm/source'],
        [{ source: 'x'.repeat(201) }, 'utm/source'],
        [{ source: 'a\nb' }, 'utm/source'],
        [{ keyword: 'x' }, 'utm'],
        ['spring', 'utm'],
      ] as const) {
        const { status, body } = await stage.create({ utm: fault });
        expect([status, body.error.details.startsWith(field)], JSON.stringify(body)).to.deep.equal([400, true]);
      }
    });
  });
});
