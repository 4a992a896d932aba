import { AppError } from '../../../core/base/errors.ts';
import { deleteMedia, listMedia, uploadPicture } from '../../../core/templates/media/media.ts';
import { contentTypeOf } from '../../../core/templates/media/pictures.ts';
import { drawnPicture } from '../../../core/templates/starters/pictures/pictures.ts';
import { FORM_TYPE } from '../../../schemas/people/imports.ts';
import { mediaAnswer, mediaPageAnswer, mediaQuery } from '../../../schemas/templates/media.ts';
import { wholeFile, withUpload } from '../../http/body/uploads.ts';
import { Answer, endpoint, Page } from '../../http/endpoint.ts';
import { FOR_EVER } from '../../http/header-values.ts';
import { presentPage } from '../../present/page.ts';
import { presentMedia } from '../../present/templates.ts';

const tag = 'media';

/** A later version may draw another picture of the same name. */
const A_DAY = 'public, max-age=86400';

/** Pictures only, with their exact type, so that browsers never interpret one as a page or a script. */
export const mediaRoutes = [
  endpoint({
    operation: 'media.upload',
    method: 'post',
    path: '/media',
    key: 'token',
    tag,
    summary: 'Upload a picture for mails: PNG, JPEG, GIF or WebP of up to 5 MB',
    description:
      'Send the picture as the file of a form. Its type is read from its bytes, whatever its name says. A project has the same picture once: sent again it is answered with 200. The pictures of a project have 1 GB together (409 `MEDIA_FULL`).',
    bodyLimit: 'picture',
    rawBody: [FORM_TYPE],
    answer: mediaAnswer,
    status: 201,
    also: { 200: 'The project has this picture already.' },
    errors: { 409: 'The pictures of the project have 1 GB already.' },
    handler: ({ deps, project, request }) =>
      withUpload(request.incoming, 'picture', async ({ file, described }) => {
        const bytes = await wholeFile(file);
        await described;
        const { media, isNew } = await uploadPicture(deps, project, bytes, request);
        return new Answer(presentMedia(deps, media), undefined, isNew ? 201 : 200);
      }),
  }),
  endpoint({
    operation: 'media.list',
    method: 'get',
    path: '/media',
    key: 'token',
    tag,
    summary: 'List the pictures of the project, newest first',
    query: mediaQuery,
    answer: mediaPageAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('media', await listMedia(deps, project, query), (media) => presentMedia(deps, media)),
  }),
  endpoint({
    operation: 'media.delete',
    method: 'delete',
    path: '/media/{mediaId}',
    key: 'token',
    tag,
    summary: 'Delete a picture that no template or automation shows',
    description: 'Mail that was sent shows it no longer, but for copies that mail programs keep.',
    errors: { 409: 'It is used.' },
    handler: async ({ deps, project, params }) => deleteMedia(deps, project, params.mediaId ?? ''),
  }),
  endpoint({
    operation: 'public.picture',
    method: 'get',
    path: '/media/{file}',
    key: 'none',
    tag: 'public',
    summary: 'Download a picture of a project, by the address that its media have',
    produces: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    errors: { 404: 'No such picture.' },
    handler: async ({ deps, params, request }) => {
      const name = params.file ?? '';
      const contentType = contentTypeOf(name.split('.')[1] ?? '');
      const ours = drawnPicture(name);
      const bytes = contentType && (ours ?? (await deps.media.read(name, request.held)));
      if (!bytes || !contentType) throw new AppError('not_found', 'There is no such picture.', { code: 'NOT_FOUND' });
      return new Page(
        200,
        {
          'Content-Type': contentType,
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cross-Origin-Resource-Policy': 'cross-origin',
          'Cache-Control': ours ? A_DAY : FOR_EVER,
        },
        bytes,
      );
    },
  }),
];
