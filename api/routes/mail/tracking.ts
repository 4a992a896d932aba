import { noteClick, noteOpen, type Visitor } from '../../../core/mail/feedback/buffer.ts';
import { type Call, endpoint, Page } from '../../http/endpoint.ts';
import { linkNotFound } from '../../pages/not-found.ts';

const tag = 'public';
const AGENT_LENGTH_MAX = 256;
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const privately = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'X-Content-Type-Options': 'nosniff',
};

/** These answer from the token alone: the open or click is written afterwards, and waits while MongoDB is down. */
export const trackingRoutes = [
  endpoint({
    operation: 'public.openPixel',
    method: 'get',
    path: '/t/o/{token}.gif',
    key: 'none',
    tag,
    summary: 'Record the open of a mail, and return its pixel',
    produces: ['image/gif'],
    handler: async ({ deps, params, request }) => {
      noteOpen(deps, params.token ?? '', visitorOf(deps, request));
      return pixelPage;
    },
  }),
  endpoint({
    operation: 'public.trackedLink',
    method: 'get',
    path: '/t/c/{token}',
    key: 'none',
    tag,
    summary: 'Record the click on a link, and redirect to the URL in its signed token',
    produces: ['text/html'],
    errors: { 404: 'The token is not one of ours.' },
    handler: async ({ deps, params, request }) => {
      const target = noteClick(deps, params.token ?? '', visitorOf(deps, request));
      return target === null ? linkNotFound(request) : redirectPage(target);
    },
  }),
];

const pixelPage = new Page(
  200,
  { ...privately, 'Content-Type': 'image/gif', 'Cross-Origin-Resource-Policy': 'cross-origin' },
  PIXEL,
);

/** The ASCII of the target stays byte for byte; the rest is escaped, since a header can carry only ASCII. */
function redirectPage(target: string): Page {
  const location = target.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return new Page(302, { ...privately, Location: location }, null);
}

function visitorOf(
  { clock }: Call<never, never>['deps'],
  { header, incoming }: Pick<Call<never, never>['request'], 'header' | 'incoming'>,
): Visitor {
  return {
    at: clock.now(),
    agent: header('user-agent').slice(0, AGENT_LENGTH_MAX),
    purpose: (header('sec-purpose') || header('purpose') || header('x-purpose') || header('x-moz')).slice(0, 32),
    method: incoming.method ?? 'GET',
  };
}
