import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Message } from '../../core/mail/ledger/model.ts';
import { type Post, startPost } from '../delivery/support.ts';
import { openStream } from '../feed/support.ts';
import { BROWSER } from '../feedback/support.ts';
import { profiled } from '../support/profile.ts';

const KIND = { name: 'kind', value: 'invoice' };
const SHOP = { name: 'shop', value: 'north_2-b' };

describe('Tags of mails', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  let number = 0;
  const to = () => {
    number += 1;
    return { email: `t${number}@in.test` };
  };
  const send = (fields: object = {}) => post.send({ to: to(), ...fields });
  const idOf = ({ body, text }: Awaited<ReturnType<Post['send']>>): string => {
    expect(body.success, text).to.equal(true);
    return body.data.emailId;
  };
  const found = async (query: string, client = post.own.client): Promise<string[]> => {
    const { status, body, text } = await client.get(`/emails?limit=100&${query}`);
    expect(status, text).to.equal(200);
    expect(body.data.pagination.total).to.equal(body.data.emails.length);
    return body.data.emails.map(({ id }: { id: string }) => id);
  };

  it('find the mails of all calls that gave them, newest first, and no others', async () => {
    const value = { name: 'find', value: 'me' };
    const tagged = [idOf(await send({ tags: [value, KIND] }))];
    idOf(await send({ tags: [{ name: 'find', value: 'me2' }] }));
    idOf(await send({ tags: [{ name: 'me', value: 'find' }] }));
    idOf(await send());
    const recipients = [to(), to()];
    const { batchId } = (await post.bulk({ recipients, tags: [value] })).body.data;
    tagged.push(...(await found(`batchId=${batchId}`)));
    const from = { email: 'post@mail.example.com' };
    const mail = { from, subject: 's', text: 'x' };
    const mails = [
      { ...mail, to: to(), tags: [value] },
      { ...mail, to: to() },
    ];
    const batch = (await post.own.client.post('/mails/batch', { mails })).body.data;
    tagged.push(batch.results[0].emailId);
    const listed = await found('tag=find:me');
    expect(listed).to.have.members(tagged);
    expect(listed).to.deep.equal(listed.toSorted().reverse());
    expect(await found(`tag=find:me&email=${recipients[1]!.email}`)).to.have.length(1);
    expect(await found(`tag=find:me&batchId=${batch.batchId}`)).to.deep.equal([batch.results[0].emailId]);
    for (const none of ['find:you', 'Find:me', 'find:ME']) expect(await found(`tag=${none}`)).to.deep.equal([]);
    expect(await found('tag=find:me', post.environment.other.client)).to.deep.equal([]);
  });

  it('are shown in their order with the mail, also with its copies; a mail without tags has none stored', async () => {
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const cc = [{ email: 'copy@in.test' }];
    const answers = [
      await send({ tags: [SHOP, KIND] }),
      await send({ tags: [SHOP, KIND], cc }),
      await send({ tags: [SHOP, KIND], cc, unsubscribeGroupId: groupId }),
      await send({ tags: [SHOP, KIND], html: 'h'.repeat(30_000) }),
    ];
    for (const answer of answers) {
      const { body } = await post.own.client.get(`/emails/${idOf(answer)}`);
      expect(body.data.tags).to.deep.equal([SHOP, KIND]);
      const [listed] = (await post.own.client.get(`/emails?email=${body.data.email}`)).body.data.emails;
      expect(listed.tags).to.deep.equal([SHOP, KIND]);
      expect((await post.read(answer)).tags).to.deep.equal(['shop:north_2-b', 'kind:invoice']);
    }
    for (const answer of [await send(), await send({ tags: [] })]) {
      const { body } = await post.own.client.get(`/emails/${idOf(answer)}`);
      expect(body.data.tags).to.deep.equal([]);
      expect(await post.read(answer)).to.not.have.property('tags');
    }
  });

  it('are at most ten, each name once, of letters, digits, _ and -; a filter is name:value', async () => {
    const word = (length: number) => 'a'.repeat(length);
    const ten = Array.from({ length: 10 }, (_, index) => ({ name: `n${index}`, value: 'v' }));
    idOf(await send({ tags: ten }));
    idOf(await send({ tags: [{ name: word(64), value: word(64) }] }));
    idOf(await send({ tags: [{ name: 'n', value: 'v', more: 1 }] }));
    const cases: Array<[unknown, RegExp]> = [
      [[...ten, KIND], /^tags: must hold 10 entries at most$/],
      [[KIND, SHOP, { name: 'kind', value: 'other' }], /^tags: has the name kind twice$/],
      [[{ name: word(65), value: 'v' }], /^tags\/0\/name: must be 1 to 64 letters/],
      [[KIND, { name: 'n', value: word(65) }], /^tags\/1\/value: must be 1 to 64 letters/],
      [[{ name: 'a:b', value: 'v' }], /^tags\/0\/name/],
      [[{ name: 'ä', value: 'v' }], /^tags\/0\/name/],
      [[{ name: '', value: 'v' }], /^tags\/0\/name/],
      [[{ name: 'n', value: 'v\n' }], /^tags\/0\/value/],
      [[{ name: 'n', value: 5 }], /^tags\/0\/value: must be a string$/],
      [[{ name: 'n' }], /^tags\/0\/value: is required$/],
      [['kind:invoice'], /^tags\/0: must be an object$/],
      [{ kind: 'invoice' }, /^tags: must be an array$/],
    ];
    const before = await post.environment.deps.db.messages.countDocuments({});
    for (const [tags, details] of cases)
      for (const { status, body } of [await send({ tags }), await post.bulk({ recipients: [to()], tags })]) {
        expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(body.error.details).to.match(details);
      }
    expect(await post.environment.deps.db.messages.countDocuments({})).to.equal(before);
    for (const filter of ['kind', 'kind:', ':invoice', 'kind:in:voice', 'kind:in%20voice', '$ne:x']) {
      const { status, body } = await post.own.client.get(`/emails?tag=${filter}`);
      expect([status, body.error.details?.split(':')[0]]).to.deep.equal([400, 'tag']);
    }
  });

  it('are in the events of a mail, from the relay and from its reader; other events have no such field', async () => {
    const stream = await openStream(post.environment, post.own.projectKey, '/stream?types=email.*');
    try {
      const [tagged, plain] = [await send({ tags: [KIND], trackingOpen: true }), await send({ trackingOpen: true })];
      for (const answer of [tagged, plain]) {
        const { raw } = await post.arrived(answer);
        const pixel = /http[^"\s]*\/t\/o\/[^"\s]+\.gif/.exec(raw.replace(/=\r\n/g, '').replaceAll('=3D', '='))![0];
        expect((await fetch(pixel, { headers: { 'User-Agent': BROWSER } })).status).to.equal(200);
      }
      for (const type of ['email.sent', 'email.opened'])
        for (const [answer, tags] of [
          [tagged, [KIND]],
          [plain, undefined],
        ] as const) {
          const isIt = (one: { event: string | undefined; data: Record<string, Record<string, unknown>> }) =>
            one.event === type && one.data.data?.emailId === idOf(answer);
          const event = (await stream.until(isIt)).find(isIt)!;
          expect(event.data.data.tags, type).to.deep.equal(tags);
        }
    } finally {
      await stream.close();
    }
  });

  it('are found by an index of their own, however many other mails there are', async () => {
    const sent = [idOf(await send({ tags: [{ name: 'rare', value: 'one' }] })), idOf(await send())];
    const { deps } = post.environment;
    const others = Array.from({ length: 3_000 }, (_, index): Message => {
      const _id = new ObjectId();
      const tags = index % 2 === 0 ? { tags: ['rare:two', `n:${index}`] } : {};
      return {
        _id,
        projectId: post.own.project._id,
        lane: 'transactional',
        state: 'sent',
        email: 'a@in.test',
        ...tags,
      };
    });
    await deps.db.messages.insertMany(others);
    const operations = await profiled(deps, async () => expect(await found('tag=rare:one')).to.deep.equal([sent[0]]));
    // The lanes read messages all the time; only the list asks for the tag.
    const ofList = operations.filter(
      ({ ns, command }) => ns.endsWith('.messages') && JSON.stringify(command).includes('rare:one'),
    );
    const [page, ...more] = ofList.filter(({ command }) => command.find);
    expect(more).to.deep.equal([]);
    expect(page!.planSummary).to.contain('{ projectId: 1, tags: 1, _id: -1 }');
    expect([page!.keysExamined, page!.docsExamined]).to.deep.equal([1, 1]);
    const counted = ofList.find(({ command, planSummary }) => command.aggregate && planSummary.includes('tags: 1'))!;
    expect(counted.keysExamined).to.be.at.most(2);
    expect(counted.docsExamined).to.equal(0);
    await deps.db.messages.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } });
  });
});
