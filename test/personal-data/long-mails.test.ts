import { request } from 'node:http';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { sealSecret } from '../../core/base/secrets.ts';
import { DAY_MS } from '../../core/base/time/durations.ts';
import { newToken } from '../../core/base/tokens.ts';
import type { InboundMessage } from '../../core/inbound/model.ts';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { leastHold } from '../linear/hold.ts';
import { useEnvironment } from '../support/environment.ts';

const MAILS = 100;
const LENGTH = 900_000;
const html = `<p>${'word '.repeat(LENGTH / 5)}</p>`;

describe('The data of a person who wrote a hundred long mails', function () {
  this.timeout(240_000);
  // Answers are checked against their schema in one piece.
  const environment = useEnvironment({}, { checkAnswers: false });
  const email = 'long.mails@people.test';

  before(async () => {
    const { deps, own } = environment;
    for (let n = 0; n < MAILS; n += 1) {
      const message = {
        ...{
          _id: new ObjectId(),
          projectId: own.project._id,
          dedupe: `${n}`,
          messageId: `${n}@in.test`,
          subject: 'Long',
        },
        ...{ from: { email, name: null }, to: [], cc: [], bcc: [], replyTo: [], attachments: [], headers: [] },
        ...{ text: null, html, threadId: `${n}`, receivedAt: new Date() },
      };
      await deps.db.inboundMessages.insertOne(message as unknown as InboundMessage);
    }
  });

  /** As a mail with a link has brought it: an address gets one a day. */
  async function newLink(): Promise<string> {
    const { deps, own } = environment;
    const _id = new ObjectId();
    const { token, hash } = newToken();
    const sealed = sealSecret(deps.config, ['data request', _id.toHexString()], email);
    const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + DAY_MS)];
    const { _id: projectId } = own.project;
    await deps.db.dataRequests.insertOne({ _id, projectId, hash, email: sealed, createdAt, expiresAt });
    return `/d/${token}`;
  }

  /** The bytes of the file: parsing them would hold the event loop here. */
  async function taken(): Promise<Buffer[]> {
    const path = await newLink();
    return new Promise((resolve, reject) => {
      const post = request(`${environment.url}${path}`, { method: 'POST' }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part)).on('error', reject);
        response.on('end', () => resolve(parts));
      });
      post.on('error', reject).end();
    });
  }

  it(`is whole, and holds the event loop for less than ${HOLD_MS_MAX} ms`, async () => {
    const { holdMs, result } = await leastHold(taken);
    const { inboundMessages } = JSON.parse(Buffer.concat(result).toString());
    expect(new Set(inboundMessages.map(({ id }: { id: string }) => id)).size).to.equal(MAILS);
    expect(inboundMessages.filter((mail: { html: string }) => mail.html !== html)).to.deep.equal([]);
    expect(holdMs).to.be.lessThan(HOLD_MS_MAX);
  });
});
