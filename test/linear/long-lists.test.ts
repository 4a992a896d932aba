import { get } from 'node:http';
import { expect } from 'chai';
import { type Document, ObjectId } from 'mongodb';
import { receivingDomain } from '../feedback/support.ts';
import { connect, use } from '../mcp/support.ts';
import { done } from '../support/client.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { openDoor } from '../support/mail/inbound-door.ts';
import { HOLD_MS_MAX } from './cpu.ts';
import { leastHold } from './hold.ts';

const ENTRIES = 100;
const LENGTH = 990_000;
const html = `<p>${'word '.repeat(LENGTH / 5)}</p>`;

describe('A list of a hundred long entries', function () {
  this.timeout(240_000);
  let environment: Environment;
  before(async () => {
    // Answers are checked against their schema in one piece.
    environment = await startEnvironment(
      { MAIL_HOST: 'mail.example.com', DNS_SERVERS: '127.0.0.1:9' },
      { checkAnswers: false },
    );
  });
  after(() => environment.stop());

  const post = (path: string, body: object) => done(environment.own.client.post(path, body));

  /** A hundred of what the interface made once. */
  async function repeated(collection: string, field: '_id' | 'templateId', id: string, keyOf: (n: number) => string) {
    const one = field === '_id' ? new ObjectId(id) : id;
    const documents = environment.deps.db[collection as 'templates'] as unknown as {
      findOne(filter: object): Promise<Document | null>;
      insertMany(documents: Document[]): Promise<unknown>;
    };
    const projectId = environment.own.project._id;
    const made = await documents.findOne({ projectId, [field]: one });
    expect(made, collection).to.not.equal(null);
    for (let n = 1; n < ENTRIES; n += 1) {
      const key = field === '_id' ? {} : { templateId: keyOf(n) };
      const own = collection === 'inboundMessages' ? { dedupe: `${n}` } : {};
      await documents.insertMany([{ ...made, _id: new ObjectId(), ...key, ...own }]);
    }
  }

  const hex = (n: number) => n.toString(16).padStart(20, '0');
  const fill: Record<string, () => Promise<void>> = {
    async templates() {
      const { templateId } = await post('/templates', { templateName: 'Long', emailTemplate: html });
      await repeated('templates', 'templateId', templateId, (n) => `A-${hex(n)}`);
    },
    async layouts() {
      const { id } = await post('/layouts', { name: 'Long', emailTemplate: `${html}{{{content}}}` });
      await repeated('templates', 'templateId', id, (n) => `L-${hex(n)}`);
    },
    async snippets() {
      const { id } = await post('/snippets', { name: 'long', emailTemplate: html });
      await repeated('templates', 'templateId', `S-${id}`, (n) => `S-long-${n}`);
    },
    async campaigns() {
      const { id } = await post('/campaigns', { name: 'Long', subject: 'Long', htmlTemplate: html });
      await repeated('campaigns', '_id', id, String);
    },
    async 'inbound/messages'() {
      const door = await openDoor(environment);
      const domain = await receivingDomain(environment, environment.own);
      const to = `support@${domain}`;
      const lines = [
        'From: eve@sender.example.net',
        `To: ${to}`,
        'Content-Type: text/html',
        '',
        html.replaceAll(/(word ){15}/g, '$&\r\n'),
        '',
      ];
      expect((await door.send({ from: 'eve@sender.example.net', to, raw: lines.join('\r\n') })).data).to.match(/^250/);
      await door.server.close();
      const { items } = await done(environment.own.client.get('/inbound/messages'));
      await repeated('inboundMessages', '_id', items[0].id, String);
    },
  };

  /** The bytes of an answer: parsing them would hold the event loop here. */
  const taken = (path: string) =>
    new Promise<Buffer[]>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${environment.own.projectKey}` };
      get(`${environment.url}/v1${path}`, { headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part)).on('error', reject);
        response.on('end', () => resolve(parts));
      }).on('error', reject);
    });

  for (const [path, make] of Object.entries(fill))
    it(`holds the event loop for less than ${HOLD_MS_MAX} ms: ${path}`, async () => {
      await make();
      const { holdMs, result } = await leastHold(() => taken(`/${path}?limit=${ENTRIES}`));
      const { data } = JSON.parse(Buffer.concat(result).toString());
      const [entries] = Object.values(data) as [Array<{ id: string }>];
      expect(new Set(entries.map(({ id }) => id)).size).to.equal(ENTRIES);
      expect(data.pagination).to.deep.equal({ page: 1, limit: ENTRIES, total: ENTRIES, pages: 1 });
      expect(JSON.stringify(entries.at(-1)).length).to.be.above(LENGTH);
      expect(holdMs).to.be.lessThan(HOLD_MS_MAX);
    });

  it('is given to an agent with its texts cut', async () => {
    const client = await connect(environment.url, environment.own.projectKey);
    const { holdMs, result } = await leastHold(() => use(client, 'templates_list', { limit: ENTRIES }));
    await client.close();
    expect(result.text).to.contain('[cut by Everpost: 990007 characters in all]');
    expect(result.text.length).to.be.below(60_000);
    expect(holdMs).to.be.lessThan(HOLD_MS_MAX);
  });
});
