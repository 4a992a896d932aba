import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime from 'postal-mime';
import { compileForMany, compileForOne, type FillMail, type SharedMail } from '../../../core/mail/compose/compile.ts';
import { composeMessage } from '../../../core/mail/compose/mime/compose.ts';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import { compileContent } from '../../../core/templates/blocks/content.ts';

const config = { secretKeys: [`k1:${Buffer.alloc(32, 1).toString('base64')}`], publicUrl: 'https://mail.example.com' };
const projectId = new ObjectId();
const messageId = new ObjectId();

const heading = {
  id: 'a',
  type: 'heading',
  level: 1,
  spans: [{ text: '{ Hello \\' }, { variable: 'name', fallback: 'you' }, { text: '}' }],
};
const order = { id: 'b', type: 'button', spans: [{ text: 'Order' }], href: 'https://a.example/?who={{email}}' };
const shop = { id: 'c', type: 'button', spans: [{ text: 'Shop' }], href: 'https://a.example/shop' };
const footer = { id: 'd', type: 'footer', unsubscribe: 'Leave' };
const when = { id: 'e', type: 'when', tests: [{ variable: 'name', is: 'set' }], blocks: [{ ...shop, id: 'f' }] };

function mailOf(blocks: object[], utm: SharedMail['utm'] = null): SharedMail {
  const { html, text } = compileContent(checkContent({ v: 1, blocks }));
  return {
    ...{ config, projectId, fromDomain: 'example.com', returnHost: 'mail.example.com', marketing: true, groupId: null },
    ...{ trackingClick: false, trackingOpen: false, utm },
    source: { subject: 'News', previewText: '', html, text },
    parts: {
      from: { email: 'news@example.com', name: null },
      replyTo: null,
      listId: null,
      feedbackId: 'x',
      boundary: 'b',
    },
  };
}

async function textOf(fill: FillMail, variables: object): Promise<string> {
  const to = { email: 'a+b@example.org', name: null };
  const { skeleton, recipient } = await fill({
    ...{ messageId, email: to.email, to, at: new Date('2026-11-01T00:00:00Z') },
    variables: (pages) => ({ ...pages, email: to.email, ...variables }),
  });
  const { text = '' } = await PostalMime.parse(composeMessage(skeleton, recipient));
  return text.replaceAll('\r\n', '\n').trim();
}

describe('The text part of a mail of content blocks', () => {
  it('is that of the blocks, in a mail that is composed alone and with all others', async () => {
    for (const blocks of [
      [heading, order, shop, footer],
      [heading, shop, footer],
      [heading, when, footer],
    ])
      for (const utm of [null, { source: 'news' }])
        for (const variables of [{}, { name: 'Ada {{x}} <b>' }]) {
          const mail = mailOf(blocks, utm);
          const alone = await textOf(compileForOne(mail), variables);
          expect(await textOf(await compileForMany(mail), variables)).to.equal(alone);
          const { name = 'you' } = variables as { name?: string };
          expect(alone)
            .to.match(/^\{ Hello \\/)
            .and.contain(`${name}}\n\n`)
            .and.match(/Leave \(https:\/\/mail\.example\.com\/u\/[\w-]+\)$/);
        }
  });

  it('has the UTM parameters of the mail at its links', async () => {
    const text = await textOf(await compileForMany(mailOf([shop, order, footer], { source: 'news' })), {});
    expect(text).to.contain('Shop (https://a.example/shop?utm_source=news)');
    expect(text).to.contain('Order (https://a.example/?who=a%2Bb%40example.org&utm_source=news)');
  });
});
