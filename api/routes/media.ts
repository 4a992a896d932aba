import { AppError } from '../../core/base/errors.ts';
import { contentTypeOf } from '../../core/migrations/rules/images.ts';
import { endpoint, Page } from '../http/endpoint.ts';

const A_YEAR_SECONDS = 31_536_000;

/** Pictures only, with their exact type, so that browsers never interpret one as a page or a script. */
export const mediaRoutes = [
  endpoint({
    operation: 'public.picture',
    method: 'get',
    path: '/media/{file}',
    key: 'none',
    tag: 'public',
    summary: 'A picture of a migrated template',
    produces: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    errors: { 404: 'No such picture.' },
    handler: async ({ deps, params }) => {
      const name = params.file ?? '';
      const contentType = contentTypeOf(name.split('.')[1] ?? '');
      const bytes = contentType && (await deps.media.read(name));
      if (!bytes || !contentType) throw new AppError('not_found', 'There is no such picture.', { code: 'NOT_FOUND' });
      return new Page(
        200,
        {
          'Content-Type': contentType,
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cross-Origin-Resource-Policy': 'cross-origin',
          'Cache-Control': `public, max-age=${A_YEAR_SECONDS}, immutable`,
        },
        bytes,
      );
    },
  }),
];
