import { createLink } from '../../core/accounts/sign-in/links.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { consoleHeaders, newSession, signIn } from '../accounts/signed-in.ts';
import { makers } from '../edge/makers.ts';
import { refOf, sentMessage } from '../feedback/support.ts';
import { done, type Reply } from '../support/client.ts';
import type { Environment } from '../support/environment.ts';

/** A call of an operation for which docs/requests.http has nothing that it could change: what it needs is made first. */
export interface FurtherCall {
  operation: string;
  prepare(environment: Environment): Promise<() => Promise<Reply>>;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const SENDER = 'a@demo.everpost.test';

export const furtherCalls: FurtherCall[] = [
  {
    operation: 'emails.update',
    prepare: async (environment) => {
      const path = `/emails/${await scheduledMail(environment)}`;
      return () => environment.own.client.patch(path, { scheduledAt: inHours(environment, 2) });
    },
  },
  {
    operation: 'emails.cancel',
    prepare: async (environment) => {
      const path = `/emails/${await scheduledMail(environment)}/cancel`;
      return () => environment.own.client.post(path);
    },
  },
  { operation: 'public.unsubscribe', prepare: (environment) => pressed(environment, 'u', 'action=unsubscribe') },
  { operation: 'public.savePreferences', prepare: (environment) => pressed(environment, 'p', 'action=everything-off') },
  {
    operation: 'inbound.reply',
    prepare: async (environment) => {
      const id = await makers.inboundId!.make(environment.own, environment);
      const reply = { from: { email: SENDER }, text: 'Thank you.' };
      return () => environment.own.client.post(`/inbound/messages/${id}/reply`, reply);
    },
  },
  {
    operation: 'session.create',
    prepare: async (environment) => {
      const token = await signInToken(environment);
      return () => environment.client(null, consoleHeaders(environment)).post('/session', { token });
    },
  },
  {
    operation: 'public.signIn',
    prepare: async (environment) => {
      const path = `/sign-in/${await signInToken(environment)}`;
      const headers = { ...consoleHeaders(environment), ...FORM };
      return () => environment.client(null, headers).send('POST', path);
    },
  },
  {
    operation: 'sessions.delete',
    prepare: async (environment) => {
      const { client, member } = await signIn(environment, environment.own, 'owner');
      const { sessionId } = await newSession(environment, environment.own, member.email);
      return () => client.delete(`/account/sessions/${sessionId}`);
    },
  },
  {
    operation: 'sessions.deleteOthers',
    prepare: async (environment) => {
      const { client, member } = await signIn(environment, environment.own, 'owner');
      await newSession(environment, environment.own, member.email);
      return () => client.delete('/account/sessions');
    },
  },
  {
    operation: 'session.delete',
    prepare: async (environment) => {
      const { client } = await signIn(environment, environment.own, 'owner');
      return () => client.delete('/session');
    },
  },
];

async function scheduledMail(environment: Environment): Promise<string> {
  const mail = { to: { email: 'a@in.test' }, from: { email: SENDER }, subject: 'Later', text: 'Later.' };
  const body = { ...mail, scheduledAt: inHours(environment, 1) };
  return (await done(environment.own.client.post('/mails/send', body))).emailId;
}

async function signInToken(environment: Environment): Promise<string> {
  const { member } = await signIn(environment, environment.own, 'owner');
  const link = await createLink(environment.deps, member.email);
  return link.slice(link.lastIndexOf('/') + 1);
}

function inHours({ clock }: Environment, hours: number): string {
  return new Date(clock.now().getTime() + hours * 3_600_000).toISOString();
}

/** A button of a person's page. */
async function pressed(environment: Environment, page: 'u' | 'p', body: string): Promise<() => Promise<Reply>> {
  const { email, ...message } = await sentMessage(environment, environment.own);
  const ref = { ...refOf({ ...message, email }), groupId: null, email };
  const token = unsubscribeToken(environment.deps.config, ref);
  return () => environment.client(null).send('POST', `/${page}/${token}`, { body, headers: FORM });
}
