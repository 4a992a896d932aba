import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Answer, Download, type Endpoint, Page } from './endpoint.ts';
import type { Answered } from './idempotency.ts';
import { answerFault } from './validate.ts';

/** Writes the result of a handler to the response. */
export function respond(context: Context, endpoint: Endpoint, result: unknown, checkAnswers: boolean): void {
  if (result instanceof Page) respondPage(context, result);
  else if (result instanceof Download) respondDownload(context, result);
  else respondEnvelope(context, endpoint, result, checkAnswers);
}

function respondEnvelope(context: Context, endpoint: Endpoint, result: unknown, checkAnswers: boolean): void {
  const { status, body } = envelopeOf(endpoint, result);
  context.status = status;
  if (result instanceof Answer) context.set(result.headers);
  context.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  context.body = body;
  const fault = checkAnswers && endpoint.answer ? answerFault(endpoint.answer, JSON.parse(body).data ?? null) : null;
  if (fault) throw new Error(`The answer of ${endpoint.method} ${endpoint.path} breaks its schema: ${fault}`);
}

export function envelopeOf(endpoint: Endpoint, result: unknown): Answered {
  const { data, message, status } = result instanceof Answer ? result : new Answer(result);
  return { status: status ?? endpoint.status ?? 200, body: JSON.stringify({ success: true, data, message }) };
}

function respondPage(context: Context, { status, headers, content }: Page): void {
  context.set(headers);
  if (content instanceof Uint8Array) context.body = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  else context.body = typeof content === 'string' || content === null ? content : Readable.from(content);
  // After the body: Koa turns an empty one into 204.
  context.status = status;
}

function respondDownload(context: Context, { contentType, fileName, chunks }: Download): void {
  context.status = 200;
  context.set('Content-Type', contentType);
  context.set('X-Content-Type-Options', 'nosniff');
  if (fileName) context.set('Content-Disposition', `attachment; filename="${fileName.replace(/[^\w. -]/g, '_')}"`);
  context.body = Readable.from(chunks);
}
