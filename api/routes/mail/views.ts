import { viewedMail } from '../../../core/campaigns/definition/email-content.ts';
import { readViewToken } from '../../../core/mail/compose/tokens.ts';
import { endpoint } from '../../http/endpoint.ts';
import { linkNotFound } from '../../pages/not-found.ts';
import { viewPage } from '../../pages/view.ts';

export const viewRoutes = [
  endpoint({
    operation: 'public.viewInBrowser',
    method: 'get',
    path: '/v/{token}',
    key: 'none',
    tag: 'public',
    summary: 'Show a mail as its recipient got it, without tracking and without the links that belong to that person',
    description:
      'By the address that {{viewInBrowserUrl}} is in a template, as long as the content of the mail is stored.',
    produces: ['text/html'],
    errors: { 404: 'The token is not one of ours, or the content of the mail is gone.' },
    handler: async ({ deps, params, request }) => {
      const ref = readViewToken(deps.config, params.token ?? '');
      const mail = ref && (await viewedMail(deps, ref));
      return (mail && viewPage(deps.config, mail)) ?? linkNotFound(request);
    },
  }),
];
