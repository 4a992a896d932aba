import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { done } from '../../support/client.ts';
import { useHands } from '../support.ts';

const HEADERS = {
  'X-Fixed': 'Größe',
  'X-Plan': 'plan={{plan default="free"}}',
  'X-Of':
    '{{campaign.name}} {{campaign.from.email}} {{campaign.replyTo}} {{campaign.tags.kind}} {{campaign.utm.source}}',
  'X-Empty': '{{nothing}}',
  Precedence: 'first',
};
const OUT = '<a href="{{unsubscribe}}">Leave</a>';

describe('The headers of a campaign', function () {
  this.timeout(60_000);
  const { stage, hands } = useHands();
  const people = async (): Promise<string> => {
    const name = new ObjectId().toHexString().slice(-8);
    const listId = await stage.list(2, (index) => `${index}-${name}@example.org`);
    const plan = 'ß<&\r\nBcc: x';
    const contactProperties = { plan };
    await done(stage.own.client.post('/contacts/email', { email: `1-${name}@example.org`, contactProperties }));
    return listId;
  };
  const given = {
    ...{ name: 'Spring', subject: 'News', headers: HEADERS, utm: { source: 'news' } },
    ...{ replyTo: 'us@in.test', tags: [{ name: 'kind', value: 'monthly' }] },
  };
  const headOf = (to: string): string[] => {
    const raw = stage.sink.ledger.messages.findLast((one) => one.to[0]?.startsWith(to))?.raw ?? '';
    const [head = ''] = raw.split('\r\n\r\n', 1);
    return head.replaceAll('\r\n ', ' ').split('\r\n');
  };
  const own = (head: string[]) => head.filter((line) => /^(X-|Bcc|Precedence)/i.test(line)).toSorted();

  const of = 'X-Of: Spring news@mail.example.com us@in.test monthly news';
  for (const [made, html] of [
    ['once', '<p>Hello</p>'],
    ['for each person', '<a href="https://example.com/{{email}}">Hello</a>'],
  ] as const)
    it(`are filled in for each person, on one line, in mail that is made ${made}`, async () => {
      const id = await stage.launch({ ...given, htmlTemplate: `${html}${OUT}`, toLists: [await people()] });
      expect(await hands.drive(id)).to.include({ status: 'sent' });
      const fixed = 'X-Fixed: =?utf-8?q?Gr=C3=B6=C3=9Fe?=';
      expect(own(headOf('0-'))).to.deep.equal(['Precedence: bulk', fixed, of, 'X-Plan: plan=free']);
      const plan = 'X-Plan: =?utf-8?q?plan=3D=C3=9F=3C=26Bcc=3A_x?=';
      expect(own(headOf('1-'))).to.deep.equal(['Precedence: bulk', fixed, of, plan]);
    });

  it('are in its preview, as they are sent to the person, with the variables they name', async () => {
    const { id } = await done(stage.create({ ...given, htmlTemplate: OUT }));
    const name = new ObjectId().toHexString().slice(-8);
    const email = `${name}@example.org`;
    await done(stage.own.client.post('/contacts/email', { email, contactProperties: { plan: 'ß<&\r\nBcc: x' } }));
    const preview = (body: object) => done(stage.act(id, 'preview', body));
    const filled = {
      'X-Fixed': 'Größe',
      'X-Plan': 'plan=ß<&Bcc: x',
      'X-Of': 'Spring news@mail.example.com us@in.test monthly news',
    };
    const shown = await preview({ email });
    expect(shown.headers).to.deep.equal(filled);
    expect(shown.variables).to.deep.include.members([
      { name: 'plan', hasValue: true },
      { name: 'nothing', hasValue: false },
    ]);
    expect((await preview({})).headers).to.deep.equal({ ...filled, 'X-Plan': 'plan=free' });
    await done(stage.own.client.patch(`/campaigns/${id}`, { headers: {} }));
    expect((await preview({})).headers).to.deep.equal({});
  });

  it('are in its tests, with the data of the person', async () => {
    const { id } = await done(stage.create({ ...given, htmlTemplate: OUT }));
    const { emailIds } = await done(stage.act(id, 'test', { emails: ['tester@in.test'] }));
    const message = await stage.deps.db.messages.findOne({ _id: new ObjectId(emailIds[0] as string) });
    const content = await stage.deps.db.contents.findOne({ _id: message?.contentId ?? new ObjectId() });
    expect(content?.headerTemplates).to.deep.equal(HEADERS);
  });

  it('are answered, copied, changed as a whole, and taken away with {}', async () => {
    const { id, headers } = await done(stage.create({ ...given, htmlTemplate: OUT }));
    expect(headers).to.deep.equal(HEADERS);
    expect((await done(stage.act(id, 'duplicate', {}))).headers).to.deep.equal(HEADERS);
    const patch = (body: object) => done(stage.own.client.patch(`/campaigns/${id}`, body));
    expect((await patch({ headers: { 'X-A': '1' } })).headers).to.deep.equal({ 'X-A': '1' });
    expect((await patch({ name: 'Summer' })).headers).to.deep.equal({ 'X-A': '1' });
    expect((await patch({ headers: {} })).headers).to.deep.equal({});
    expect((await done(stage.create({ htmlTemplate: OUT }))).headers).to.deep.equal({});
  });

  it('at fault are 400 with the header, and nothing is written', async () => {
    const { id } = await done(stage.create({ ...given, htmlTemplate: OUT }));
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'x']));
    const faults: Array<[object, RegExp]> = [
      [{ 'X-A': '{{#if plan}}' }, /^headers\/X-A: line 1, column 13: /],
      [{ 'X-A': 'x\r\nBcc: evil@in.test' }, /^headers\/X-A/],
      [{ 'List-Unsubscribe': '<x>' }, /^headers\/List-Unsubscribe: is set by this service/],
      [{ 'X A': 'x' }, /headers/],
      [{ 'X-A': 1 }, /headers\/X-A/],
      [{ 'x-a': 'x', 'X-A': 'x' }, /^headers\/X-A: is given twice/],
      [many, /headers/],
    ];
    for (const [headers, details] of faults)
      for (const reply of [
        await stage.own.client.patch(`/campaigns/${id}`, { headers }),
        await stage.create({ ...given, headers, htmlTemplate: OUT }),
      ]) {
        expect([reply.status, reply.body.error?.code], reply.text).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(reply.body.error.details).to.match(details);
      }
    expect((await stage.get(id)).headers).to.deep.equal(HEADERS);
  });
});
