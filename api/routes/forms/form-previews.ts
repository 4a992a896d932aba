import { keepDraft } from '../../../core/mail/previews/links.ts';
import { formPreviewAnswer, previewFormBody } from '../../../schemas/forms.ts';
import { endpoint, PREVIEWS_A_MINUTE } from '../../http/endpoint.ts';
import { draftPage } from '../../pages/form-draft.ts';

export const formPreviewRoutes = [
  endpoint({
    operation: 'forms.preview',
    method: 'post',
    path: '/forms/preview',
    key: 'token',
    tag: 'forms',
    summary: 'Show a page of a form that is being written, without saving it',
    description:
      'For an editor that asks while a person types. `previewUrl` shows the newest of the last 40 previews of a project; 600 a minute. The page looks as the public one, and sends nothing.',
    body: previewFormBody,
    answer: formPreviewAnswer,
    isComputed: true,
    perMinute: PREVIEWS_A_MINUTE,
    handler: async ({ deps, project, body }) => keepDraft(deps, project, draftPage(deps, project, body)),
  }),
];
