import { afterCommit } from '../../../core/base/database/transactions.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { invalid } from '../../../core/base/errors.ts';
import { languageOf } from '../../../core/base/text/languages/index.ts';
import {
  findShownSubscription,
  findSubscription,
  resubscribe,
  type ShownSubscription,
  type Subscription,
  unsubscribe,
} from '../../../core/mail/feedback/unsubscribes.ts';
import { readForm } from '../../http/body/form.ts';
import { endpoint, Page, type RequestFacts } from '../../http/endpoint.ts';
import { linkNotFound } from '../../pages/not-found.ts';
import { UNSUBSCRIBE_FIELD, unsubscribePage } from '../../pages/unsubscribe.ts';

const tag = 'public';
const errors = { 404: 'The token is not one of ours.' } as const;

export const unsubscribeRoutes = [
  endpoint({
    operation: 'public.unsubscribePage',
    method: 'get',
    path: '/u/{token}',
    key: 'none',
    tag,
    summary: 'Show the unsubscribe page; this changes nothing',
    produces: ['text/html'],
    errors,
    handler: async ({ deps, params, request }) => shown(deps, params.token ?? '', request, null),
  }),
  endpoint({
    operation: 'public.unsubscribe',
    method: 'post',
    path: '/u/{token}',
    key: 'none',
    tag,
    summary: 'Unsubscribe by one click (RFC 8058) or by the button of the page, which can also undo it',
    // Some mail programs send no type.
    rawBody: ['application/x-www-form-urlencoded', 'multipart/form-data', ''],
    produces: ['text/html'],
    errors,
    handler: async ({ deps, params, request }) => {
      const token = params.token ?? '';
      const [form, subscription] = await Promise.all([readForm(request.incoming), findSubscription(deps, token)]);
      if (!subscription) return linkNotFound(request);
      if (form.get('List-Unsubscribe') === 'One-Click') {
        await unsubscribe(deps, subscription, 'one click');
        return new Page(200, { 'Cache-Control': 'no-store' }, '');
      }
      const action = form.get(UNSUBSCRIBE_FIELD);
      if (action === 'unsubscribe') await unsubscribe(deps, subscription, 'button of the page');
      else if (action === 'resubscribe') await resubscribe(deps, subscription);
      else throw invalid('Send List-Unsubscribe=One-Click, or use the button of the page.');
      const page = await afterCommit(
        deps,
        () => shown(deps, token, request, action),
        'a page shows what its button did',
      );
      return page ?? unsubscribePage(afterButton(subscription, action, request), action, token);
    },
  }),
];

/** Where it cannot be read any more. */
function afterButton(
  subscription: Subscription,
  action: 'unsubscribe' | 'resubscribe',
  request: RequestFacts,
): ShownSubscription {
  const { project, state } = subscription;
  const language = languageOf(project, null, request.header('accept-language'));
  if (state === 'stopped') return { ...subscription, language };
  return { ...subscription, language, state: action === 'unsubscribe' ? 'undoable' : 'subscribed' };
}

async function shown(deps: Deps, token: string, request: RequestFacts, done: 'unsubscribe' | 'resubscribe' | null) {
  const now = await findShownSubscription(deps, token, request.header('accept-language'));
  return now ? unsubscribePage(now, done, token) : linkNotFound(request);
}
