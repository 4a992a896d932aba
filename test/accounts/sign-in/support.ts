import PostalMime, { type Email } from 'postal-mime';
import { addMember } from '../../../core/accounts/members.ts';
import { signInMails } from '../../../core/accounts/sign-in/mails.ts';
import { startQueues } from '../../../core/jobs/queue.ts';
import type { Mailer } from '../../../core/mail/ledger/relay.ts';
import { createSigner } from '../../../platform/dkim/signer.ts';
import { createEvidence } from '../../../platform/evidence.ts';
import { createFiles } from '../../../platform/fetch/files.ts';
import { createMailer } from '../../../platform/smtp/mailer.ts';
import type { Role } from '../../../schemas/operations.ts';
import type { Environment, Tenant } from '../../support/environment.ts';
import type { Sink } from '../../support/mail/smtp-sink.ts';

export const CONSOLE_FROM = 'console@everpost.example.com';

/** The queue of sign-in mails, as a worker with the role mail runs it. */
export function startSignInMails(
  { deps }: Environment,
  sink: Sink,
  { onAcquire = () => {} } = {},
): { stop(): Promise<void> } {
  const { config } = deps;
  const relay = createMailer({ url: sink.url, connectionsMax: 8, clientName: 'test.example.com' });
  const mailer: Mailer = {
    ...relay,
    acquire(lane) {
      onAcquire();
      return relay.acquire(lane);
    },
  };
  const signer = createSigner(1);
  const sending = { ...deps, mailer, signer, evidence: createEvidence(config), files: createFiles(config) };
  const queues = startQueues(deps, [signInMails(sending)]);
  return {
    async stop() {
      await Promise.all([queues.stop(), relay.close(1_000)]);
      await signer.close();
    },
  };
}

export async function makeMember({ deps }: Environment, { organization }: Tenant, email: string, role: Role = 'owner') {
  return addMember(deps, organization._id, { email, role, createdBy: null });
}

export interface Arrived {
  mail: Email;
  raw: string;
  from: string;
  to: string[];
  url: string;
  token: string;
}

/** The mails that the sink took for this address, oldest first. */
export async function arrivedFor({ ledger }: Sink, email: string): Promise<Arrived[]> {
  const mine = ledger.messages.filter(({ to }) => to.includes(email));
  return Promise.all(mine.map(async ({ raw, from, to }) => readMail(raw ?? '', from, to)));
}

async function readMail(raw: string, from: string, to: string[]): Promise<Arrived> {
  const mail = await PostalMime.parse(Buffer.from(raw, 'latin1'));
  const [url = ''] = /https?:\/\/\S+\/sign-in\/[\w-]+/.exec(mail.text ?? '') ?? [];
  return { mail, raw, from, to, url, token: url.slice(url.lastIndexOf('/') + 1) };
}
