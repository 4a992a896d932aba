import { generateKeyPairSync, randomFillSync } from 'node:crypto';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type Composing, composeMail } from '../../core/mail/compose/compose.ts';
import type { SendingDeps } from '../../core/mail/ledger/relay.ts';
import { createSigner } from '../../platform/dkim/signer.ts';
import { ATTACHMENT_BYTES_MAX } from '../../schemas/mail/mails.ts';
import { HOLD_MS_MAX } from './cpu.ts';
import { leastHold } from './hold.ts';

describe('Composing a mail with the largest attachments', () => {
  it(`holds the event loop for less than ${HOLD_MS_MAX} ms`, async () => {
    const encoding = { publicKeyEncoding: { type: 'spki', format: 'pem' } } as const;
    const { privateKey } = generateKeyPairSync('rsa', {
      ...{ modulusLength: 2_048, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } },
      ...encoding,
    });
    const signer = createSigner(1);
    const config = { secretKeys: [`k:${Buffer.alloc(32, 1).toString('base64')}`], publicUrl: 'https://mail.test' };
    const deps = { config, signer, clock: { now: () => new Date() } } as unknown as SendingDeps;
    const mail = largest(privateKey);
    const { holdMs } = await leastHold(() => composeMail(deps, mail)).finally(() => signer.close());
    expect(holdMs).to.be.lessThan(HOLD_MS_MAX);
  }).timeout(60_000);
});

function largest(privateKey: string): Composing {
  const message = { _id: new ObjectId(), projectId: new ObjectId(), email: 'a@in.test' };
  const file = { fileName: 'a.bin', contentType: null, contentId: null, description: null };
  const content = {
    ...{ from: { email: 'a@b.test', name: null }, replyTo: null, headers: {}, data: {}, groupId: null },
    ...{ subject: 's', previewText: '', html: '<p>h</p>', text: null, createdAt: new Date() },
  };
  const keys = [{ domain: 'b.test', selector: 's', privateKey }];
  return {
    ...{ message, first: message, content, contact: null, recipients: null, isAlone: true, takesEightBit: true },
    sending: { domain: { _id: new ObjectId() }, keys, returnHost: 'r.test' },
    // As core/mail/messages/contents.ts reads them.
    attachments: [{ ...file, bytes: randomFillSync(new Uint8Array(new SharedArrayBuffer(ATTACHMENT_BYTES_MAX))) }],
  } as unknown as Composing;
}
