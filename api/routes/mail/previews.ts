import type { Deps } from '../../../core/base/deps.ts';
import { AppError } from '../../../core/base/errors.ts';
import type { HeldBytes } from '../../../core/base/held-bytes.ts';
import { emailContent } from '../../../core/campaigns/definition/email-content.ts';
import { getInbound } from '../../../core/inbound/messages.ts';
import { htmlWithOwnPictures } from '../../../core/inbound/own-pictures.ts';
import type { PreviewRef } from '../../../core/mail/compose/tokens.ts';
import { openDraft, readPreviewLink } from '../../../core/mail/previews/links.ts';
import { endpoint, type Page } from '../../http/endpoint.ts';
import { previewIsOver, previewPage, textPreview } from '../../pages/preview.ts';

export const previewRoutes = [
  endpoint({
    operation: 'public.preview',
    method: 'get',
    path: '/previews/{token}',
    key: 'none',
    tag: 'public',
    summary: 'A mail as a page of its own, by a link that works for ten minutes',
    description:
      'For a frame of the same origin. The page runs no script, sends no form, and is in no origin; looking at it is no open and no click.',
    produces: ['text/html'],
    errors: { 404: 'The link is not one of ours, or too old.' },
    handler: async ({ deps, params, request: { held } }) => {
      const ref = readPreviewLink(deps, params.token ?? '');
      return (ref && (await pageOf(deps, ref, held))) ?? previewIsOver(deps.config);
    },
  }),
];

/** null: it was removed since the link was made. */
async function pageOf(deps: Deps, ref: PreviewRef, held: HeldBytes): Promise<Page | null> {
  const content = await contentOf(deps, ref, held).catch((error) => {
    if (error instanceof AppError && error.kind === 'not_found') return null;
    throw error;
  });
  if (!content) return null;
  const { html, text } = content;
  if (html !== null) return previewPage(deps.config, html, ref);
  return text === null ? null : textPreview(deps.config, text);
}

async function contentOf(
  deps: Deps,
  ref: PreviewRef,
  held: HeldBytes,
): Promise<{ html: string | null; text: string | null } | null> {
  const { projectId: _id, kind, id } = ref;
  switch (kind) {
    case 'draft': {
      const html = await openDraft(deps, ref);
      return html === null ? null : { html, text: null };
    }
    case 'email':
      return emailContent(deps, { _id }, id.toHexString(), { withPictures: true, held });
    case 'inbound': {
      const message = await getInbound(deps, { _id }, id.toHexString());
      return { html: await htmlWithOwnPictures(deps, message, held), text: message.text };
    }
  }
}
