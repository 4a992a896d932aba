import type { Context } from 'koa';
import { AppError } from '../../../core/base/errors.ts';
import { FORM_TYPE } from '../../../schemas/people/imports.ts';
import type { Endpoint } from '../endpoint.ts';
import { bodyLimits, FORM_BYTES_MAX, type JsonPool, type ReadBody, readJsonBody, tooLarge } from './body.ts';

export async function readBody(endpoint: Endpoint, context: Context, pool: JsonPool | undefined): Promise<ReadBody> {
  const limit = endpoint.bodyLimit ?? 'standard';
  if (endpoint.rawBody) {
    const type = context.get('content-type').split(';')[0]?.trim().toLowerCase() ?? '';
    if (!endpoint.rawBody.includes(type))
      throw new AppError('unsupported_media_type', `Send the body as ${endpoint.rawBody.join(' or ')}.`, {
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    const around = type === FORM_TYPE ? FORM_BYTES_MAX : 0;
    if (Number(context.get('content-length') || 0) > bodyLimits[limit] + around) throw tooLarge(bodyLimits[limit]);
    return { value: undefined, sizeBytes: 0 };
  }
  if (['get', 'delete', 'options'].includes(endpoint.method) || context.method === 'HEAD')
    return { value: undefined, sizeBytes: 0 };
  const { body, bodyOptional } = endpoint;
  const required = body !== undefined && !bodyOptional;
  const read = await readJsonBody(context.req, { limit, required, path: context.path, pool });
  return bodyOptional && read.value === undefined ? { ...read, value: {} } : read;
}
