import { expect } from 'chai';
import { type Desk, type MadeForm, startDesk } from '../forms/support.ts';

/** Set it higher to let the robot try for longer. */
const TIMES = Number(process.env.ROBOT_TIMES ?? 50);
const METHODS = ['GET', 'HEAD'] as const;

describe('A robot that follows every link of every mail', function () {
  this.timeout(Math.max(120_000, TIMES * 1_000));
  let desk: Desk;
  let form: MadeForm;

  before(async function () {
    this.timeout(180_000);
    desk = await startDesk({ env: { PUBLIC_RATE_LIMIT: '1000000' } });
    form = await desk.form();
  });
  after(() => desk?.stop());

  const linksOf = async (email: string) => {
    const mails = await desk.mails(email);
    const texts = mails.flatMap(({ html, text, headers }) => [
      html ?? '',
      text ?? '',
      ...headers.map(({ value }) => value),
    ]);
    const found = texts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>)]+/g) ?? []);
    return [...new Set(found.map((url) => url.replaceAll('&amp;', '&')))];
  };

  /** Links of this server, which are in mails under its public address. */
  async function follow(urls: string[]): Promise<number> {
    const { publicUrl } = desk.environment.deps.config;
    const paths = urls.filter((url) => url.startsWith(publicUrl)).map((url) => url.slice(publicUrl.length));
    for (let time = 0; time < TIMES; time += 1) {
      const answers = await Promise.all(
        paths.flatMap((path) => METHODS.map((method) => desk.browser().send(method, path, { redirect: 'manual' }))),
      );
      for (const { status } of answers) expect(status).to.be.oneOf([200, 302]);
    }
    return paths.length;
  }

  it('confirms no subscription, ends none, and changes no list', async () => {
    const [waiting, member] = ['waiting@in.test', 'member@in.test'];
    const { body: group } = await desk.own.client.post('/suppression-groups', { name: 'Offers', isPublic: true });
    await desk.subscribe(form, { email: member });
    expect((await desk.send(form, { email: waiting })).status).to.equal(200);
    const sent = await desk.post.send({
      to: { email: member },
      subject: 'News',
      html: '<a href="https://shop.example.com">Shop</a> <a href="{{unsubscribe}}">Leave</a> <a href="{{preferencesUrl}}">Choose</a> <a href="{{viewInBrowserUrl}}">View</a>',
      unsubscribeGroupId: group.data.groupId,
      trackingClick: true,
    });
    expect(sent.status, sent.text).to.be.oneOf([200, 201, 202]);
    const [ofMember, ofWaiting] = [await linksOf(member), await linksOf(waiting)];
    const before = { pending: await desk.pending(waiting), member: await desk.contact(member) };
    expect(before.pending, 'it waits').to.not.equal(null);
    expect(
      await follow(ofMember),
      'the confirmation, a tracked link, unsubscribe, preferences and the view',
    ).to.be.at.least(5);
    expect(await follow(ofWaiting)).to.be.at.least(1);
    expect(await desk.contact(waiting), 'not confirmed').to.equal(null);
    expect(await desk.pending(waiting)).to.deep.equal(before.pending);
    expect(await desk.entriesOf(member), 'not unsubscribed').to.deep.equal([]);
    expect((await desk.contact(member))?.listIds).to.deep.equal(before.member?.listIds);
    expect((await desk.press(await desk.link(waiting))).status, 'the button confirms').to.equal(200);
    expect(desk.listIds(await desk.contact(waiting))).to.include(form.listId);
  });
});
