import { findLink, requestLink } from '../../../core/accounts/sign-in/links.ts';
import { ownOrganizations } from '../../../core/accounts/sign-in/organizations.ts';
import { endOtherSessions, endSession, listSessions, SESSION_MS } from '../../../core/accounts/sign-in/sessions.ts';
import { signIn } from '../../../core/accounts/sign-in/sign-in.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { AppError } from '../../../core/base/errors.ts';
import { requireEmail } from '../../../core/base/text/addresses.ts';
import {
  createSessionBody,
  currentSessionAnswer,
  endedSessionsAnswer,
  requestLinkBody,
  sessionsAnswer,
} from '../../../schemas/accounts/session.ts';
import { pageQuery } from '../../../schemas/common.ts';
import { readForm } from '../../http/body/form.ts';
import { Answer, endpoint, type RequestFacts } from '../../http/endpoint.ts';
import { isFromOwnPage, isLocal, ownOrigin } from '../../http/identity/own-origin.ts';
import { sessionCookie, sessionTokenOf } from '../../http/identity/session-cookie.ts';
import { consolePath, linkOver, signedIn, signInPage, wrongOrigin } from '../../pages/sign-in.ts';
import { presentCurrentSession, presentSession } from '../../present/accounts.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'session';
const key = 'session';

export const sessionRoutes = [
  endpoint({
    operation: 'session.requestLink',
    method: 'post',
    path: '/v1/session/links',
    key: 'none',
    forConsole: true,
    tag,
    summary: 'Have a sign-in link mailed. The answer is the same for an address that is unknown',
    description: 'Five an hour for an address, twenty for a client. A link works once, for 15 minutes.',
    body: requestLinkBody,
    status: 202,
    handler: async ({ deps, body, request }) => {
      await requestLink(deps, { email: requireEmail(body.email), ip: request.ip });
      return new Answer(undefined, 'If a member has this address, a link is on its way to it.');
    },
  }),
  endpoint({
    operation: 'session.create',
    method: 'post',
    path: '/v1/session',
    key: 'none',
    forConsole: true,
    tag,
    summary: 'Sign in with the token of a link. The answer sets the cookie of a new session',
    body: createSessionBody,
    answer: currentSessionAnswer,
    status: 201,
    errors: { 401: 'The link was used, has expired or never was.' },
    handler: async ({ deps, body, request }) => {
      const signed = await signInBy(deps, body.token, request);
      if (!signed)
        throw new AppError('unauthorized', 'This link was used or has expired; ask for another one.', {
          code: 'UNAUTHORIZED',
        });
      const data = presentCurrentSession(signed.session, signed.organizations);
      return new Answer(data, undefined, undefined, cookieHeader(deps, signed.token));
    },
  }),
  endpoint({
    operation: 'session.get',
    method: 'get',
    path: '/session',
    key,
    tag,
    summary: 'Read the session, with its organizations and roles',
    answer: currentSessionAnswer,
    handler: async ({ deps, session, memberships }) =>
      presentCurrentSession(session, await ownOrganizations(deps, memberships)),
  }),
  endpoint({
    operation: 'session.delete',
    method: 'delete',
    path: '/session',
    key,
    tag,
    summary: 'Sign out',
    handler: async ({ deps, session }) => {
      await endSession(deps, session.email, session._id.toHexString());
      return new Answer(undefined, undefined, undefined, cookieHeader(deps, null));
    },
  }),
  endpoint({
    operation: 'sessions.list',
    method: 'get',
    path: '/account/sessions',
    key,
    tag,
    summary: 'The sessions of the person who is signed in, the newest first',
    query: pageQuery,
    answer: sessionsAnswer,
    handler: async ({ deps, session, query }) =>
      presentPage('sessions', await listSessions(deps, session.email, query), (one) => presentSession(one, session)),
  }),
  endpoint({
    operation: 'sessions.deleteOthers',
    method: 'delete',
    path: '/account/sessions',
    key,
    tag,
    summary: 'End all sessions of the person but this one',
    answer: endedSessionsAnswer,
    handler: async ({ deps, session }) => ({ ended: await endOtherSessions(deps, session) }),
  }),
  endpoint({
    operation: 'sessions.delete',
    method: 'delete',
    path: '/account/sessions/{sessionId}',
    key,
    tag,
    summary: 'End a session; it stops within five seconds',
    errors: { 404: 'The person has no such session.' },
    handler: async ({ deps, session, params }) => endSession(deps, session.email, params.sessionId ?? ''),
  }),
  endpoint({
    operation: 'public.signInPage',
    method: 'get',
    path: '/sign-in/{token}',
    key: 'none',
    tag: 'public',
    summary: 'The page that a sign-in link opens. Looking at it changes nothing',
    produces: ['text/html'],
    errors: { 404: 'The link was used, has expired or never was.' },
    handler: async ({ deps, params, request }) => {
      const email = await findLink(deps, { token: params.token ?? '', isLocal: isLocal(request.incoming) });
      return email === null ? linkOver(consolePath(deps.config)) : signInPage(email);
    },
  }),
  endpoint({
    operation: 'public.signIn',
    method: 'post',
    path: '/sign-in/{token}',
    key: 'none',
    tag: 'public',
    summary: 'The button of that page: signs in and leads to the console',
    rawBody: ['application/x-www-form-urlencoded', ''],
    produces: ['text/html'],
    errors: {
      403: 'The form is not one of this installation.',
      404: 'The link was used, has expired or never was.',
    },
    handler: async ({ deps, params, request }) => {
      await readForm(request.incoming);
      if (!isFromOwnPage(deps.config, request.incoming)) return wrongOrigin(ownOrigin(deps.config, request.incoming));
      const signed = await signInBy(deps, params.token ?? '', request);
      const path = consolePath(deps.config);
      return signed ? signedIn(path, sessionCookie(deps.config, signed.token, SESSION_MS)) : linkOver(path);
    },
  }),
];

function signInBy(deps: Deps, token: string, { incoming, header }: RequestFacts) {
  const browser = { userAgent: header('user-agent'), oldToken: sessionTokenOf(deps.config, incoming) };
  return signIn(deps, { token, isLocal: isLocal(incoming) }, browser);
}

function cookieHeader({ config }: Deps, token: string | null): Record<string, string> {
  return { 'Set-Cookie': sessionCookie(config, token, SESSION_MS), 'Cache-Control': 'no-store' };
}
