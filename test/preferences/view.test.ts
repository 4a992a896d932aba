import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime, { type Email } from 'postal-mime';
import { openToken, unsubscribeToken, viewToken } from '../../core/mail/compose/tokens.ts';
import { activeAutomation, created, wait } from '../automations/support.ts';
import { openHands, SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';

const POLICY = "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:";
/** Many other tests may run on the same cores. */
const WAIT = { ms: 150_000 };
const ENV = { PUBLIC_RATE_LIMIT: '100000' };
const HTML = `<!doctype html><html><head><style>p { color: #222 }</style></head><body>
<p>Grüße {{firstName}} <b>{{email}}</b></p><p><a href="https://shop.example.com/sale">Sale</a></p>
<img src="https://cdn.example.com/a.png" alt="A"><script>alert(1)</script>
<p><a class=view href="{{viewInBrowserUrl}}">View</a> <a href='{{preferencesUrl}}'>Choose</a> <a href="{{unsubscribe}}">Leave</a></p>
</body></html>`;

describe('A mail in the browser', function () {
  this.timeout(400_000);
  let stage: Stage;

  const arrived = (to: string): Promise<Email> =>
    until(
      async () => {
        const raw = stage.sink.ledger.messages.find((message) => message.to.includes(to))?.raw;
        return raw ? ((await PostalMime.parse(Buffer.from(raw, 'latin1'))) as Email) : null;
      },
      (mail) => mail !== null,
      WAIT,
    ) as Promise<Email>;
  const viewIn = (mail: Email) => /class=view href="([^"]+)"/.exec(mail.html!)![1]!;
  /** The row of a mail is written a moment after it was sent. */
  const viewed = (url: string) =>
    until(
      async () => {
        const response = await fetch(url);
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
      ({ status }) => status === 200,
      WAIT,
    );
  const sendMail = async (body: object) => {
    const { status, text } = await stage.own.client.post('/mails/send', body);
    expect(status, text).to.equal(200);
  };
  const statusOf = async (url: string) => (await fetch(url)).status;
  const address = () => `${new ObjectId().toHexString()}@example.org`;

  async function expectView(mail: Email, email: string): Promise<void> {
    const url = viewIn(mail);
    expect(url).to.match(new RegExp(`^${stage.deps.config.publicUrl}/v/[\\w-]{50,}$`));
    const { text, headers } = await viewed(url);
    expect(headers.get('content-security-policy')).to.equal(POLICY);
    expect(headers.get('x-robots-tag')).to.equal('noindex');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(text).to.contain(`<b>${email}</b>`).and.contain('<style>p { color: #222 }</style>');
    expect(text).to.contain('href="https://shop.example.com/sale"').and.contain('src="https://cdn.example.com/a.png"');
    expect(text).to.contain('<a class=view href="#">View</a> <a href=\'#\'>Choose</a> <a href="#">Leave</a>');
    expect(text, 'no link of a person, no tracking').to.not.contain(stage.deps.config.publicUrl);
    expect(mail.html).to.contain('/t/c/').and.contain('/t/o/').and.contain('/u/').and.contain('/p/');
    const message = await stage.deps.db.messages.findOne({ projectId: stage.own.project._id, email });
    expect(message?.timeline?.some(({ type }) => type === 'opened' || type === 'clicked') ?? false).to.equal(false);
  }

  describe('of a campaign', () => {
    let hands: ReturnType<typeof openHands>;
    before(async () => {
      stage = await startStage({ lanes: [], sinkOptions: { keepRaw: 500 }, env: ENV });
      hands = openHands(stage);
    });
    after(async () => {
      await hands?.stop();
      await stage?.stop();
    });

    it('is the mail of that recipient, until the contact is deleted', async () => {
      const email = address();
      const { id: listId } = await created(stage.own.client, '/contact-lists', { name: 'News' });
      const { body } = await stage.own.client.post('/contacts/email', {
        email,
        firstName: 'Ada <3',
        listIds: [listId],
      });
      const fields = { htmlTemplate: HTML, toLists: [listId], trackingClick: true, trackingOpen: true };
      await hands.drive(await stage.launch(fields));
      const mail = await arrived(email);
      await expectView(mail, email);
      expect((await viewed(viewIn(mail))).text).to.contain('Grüße Ada &lt;3');
      await stage.own.client.delete(`/contacts/${body.data.id}`);
      expect(await statusOf(viewIn(mail))).to.equal(404);
    });
  });

  describe('of an automation or a call', () => {
    before(async () => {
      stage = await startStage({ lanes: ['workflows', 'background', 'mail'], sinkOptions: { keepRaw: 500 }, env: ENV });
      await created(stage.own.client, '/senders', { email: SENDER, name: 'News' });
    });
    after(() => stage?.stop());

    it('of an automation is the mail of that recipient, with the data of the event, until its content is removed', async () => {
      const email = address();
      const properties = [{ propertyName: 'what', type: 'string' }];
      await created(stage.own.client, '/events', { eventName: 'bought', properties });
      await activeAutomation(stage.own.client, {
        entryCriteria: { type: 'event_trigger', eventName: 'bought' },
        trackingClick: true,
        trackingOpen: true,
        steps: [
          wait(0),
          {
            type: 'email',
            stepId: 'm',
            email: { subject: 'Thanks', htmlTemplate: HTML.replace('Sale', '{{event.properties.what}}') },
          },
        ],
      });
      await stage.own.client.post('/events/send', {
        eventName: 'bought',
        email,
        eventProperties: { what: 'Tea & cake' },
      });
      const mail = await arrived(email);
      await expectView(mail, email);
      expect((await viewed(viewIn(mail))).text).to.contain('Tea &amp; cake');
      const { db } = stage.deps;
      const projectId = stage.own.project._id;
      const message = await db.messages.findOne({ projectId, email });
      await db.contents.deleteOne({ _id: message!.contentId!, projectId });
      await db.messages.updateOne({ _id: message!._id, projectId }, { $unset: { content: '' } });
      expect(await statusOf(viewIn(mail))).to.equal(404);
    });

    it('of a single mail is without the links of persons that came with its data, until the recipient is erased', async () => {
      const email = address();
      const { config, db } = stage.deps;
      const ref = { projectId: stage.own.project._id, messageId: new ObjectId() };
      const token = unsubscribeToken(config, { ...ref, groupId: null, email });
      const links = [
        `u/${token}`,
        `p/${token}`,
        `f/confirm/${token}`,
        `v/${viewToken(config, ref)}`,
        `t/o/${openToken(config, ref)}.gif`,
      ];
      const secret = links.map((link) => `<a href="${config.publicUrl}/${link}?x=1">L</a>`).join('');
      const own = `<a href="${config.publicUrl}/p/shoes">kept</a>`;
      await sendMail({
        ...{ from: { email: SENDER }, to: { email }, subject: 'Order', trackingClick: true, trackingOpen: true },
        html: `${HTML}{{{secret}}}{{{own}}}`,
        dynamicData: { secret, own, firstName: 'Given' },
      });
      const mail = await arrived(email);
      const { text } = await viewed(viewIn(mail));
      expect(text).to.contain('Grüße Given').and.contain('<a href="#">L</a>'.repeat(links.length));
      expect(text).to.contain(own).and.not.contain(token);
      await db.messages.updateOne({ projectId: ref.projectId, email }, { $set: { email: '' } });
      expect(await statusOf(viewIn(mail))).to.equal(404);
    });

    it('of a text is shown as text', async () => {
      const email = address();
      const text = 'Order <1> for {{firstName default="you"}}, see {{viewInBrowserUrl}} or {{preferencesUrl}}';
      await sendMail({ from: { email: SENDER }, to: { email }, subject: 'Text', text });
      const url = /see (\S+)/.exec((await arrived(email)).text!)![1]!;
      const page = await viewed(url);
      expect(page.text).to.contain('Order &lt;1&gt; for you, see # or #');
      expect(page.headers.get('content-security-policy')).to.equal(POLICY);
    });

    it('is 404 for tokens of other purposes, of deleted projects, and for guesses', async () => {
      const { config, db } = stage.deps;
      const tenant = await stage.environment.newTenant('Gone');
      const ref = { projectId: stage.own.project._id, messageId: new ObjectId() };
      const message = await db.messages.findOne({ projectId: ref.projectId, state: 'sent' });
      const right = { projectId: ref.projectId, messageId: message!._id };
      const tokens = [
        openToken(config, right),
        unsubscribeToken(config, { ...right, groupId: null, email: 'a@example.org' }),
        viewToken(config, ref),
        viewToken(config, { ...right, projectId: tenant.project._id }),
        `${viewToken(config, right)}A`,
        'preview',
      ];
      for (const token of tokens) {
        const page = await fetch(`${config.publicUrl}/v/${token}`);
        expect([page.status, (await page.text()).includes('This link is not valid')]).to.deep.equal([404, true]);
      }
    });
  });
});
