import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { breather } from '../../core/base/work/breathe.ts';
import { Answer, Download, type Endpoint, LongPage, Page } from './endpoint.ts';
import type { Answered } from './idempotency.ts';
import { answerFault } from './validate.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes the result of a handler to the response. */
export function respond(context: Context, endpoint: Endpoint, result: unknown, checkAnswers: boolean): void {
  if (result instanceof Page) respondPage(context, result);
  else if (result instanceof Download) respondDownload(context, result);
  else if (result instanceof LongPage) respondLongPage(context, endpoint, result, checkAnswers);
  else respondEnvelope(context, endpoint, result, checkAnswers);
}

function respondEnvelope(context: Context, endpoint: Endpoint, result: unknown, checkAnswers: boolean): void {
  const { status, body } = envelopeOf(endpoint, result);
  context.status = status;
  if (result instanceof Answer) context.set(result.headers);
  context.res.setHeader('Content-Type', JSON_TYPE);
  context.body = body;
  if (checkAnswers) checkAnswer(endpoint, body);
}

function checkAnswer(endpoint: Endpoint, body: string): void {
  const fault = endpoint.answer ? answerFault(endpoint.answer, JSON.parse(body).data ?? null) : null;
  if (fault) throw new Error(`The answer of ${endpoint.method} ${endpoint.path} breaks its schema: ${fault}`);
}

export function envelopeOf(endpoint: Endpoint, result: unknown): Answered {
  const { data, message, status } = result instanceof Answer ? result : new Answer(result);
  return { status: status ?? endpoint.status ?? 200, body: JSON.stringify({ success: true, data, message }) };
}

function respondLongPage(context: Context, endpoint: Endpoint, page: LongPage, checkAnswers: boolean): void {
  context.status = 200;
  context.res.setHeader('Content-Type', JSON_TYPE);
  context.body = Readable.from(checkAnswers ? checkedParts(endpoint, page) : partsOf(page));
}

/** The parts are the envelope when they are put together. */
async function* partsOf({ plural, entries, pagination }: LongPage): AsyncGenerator<string> {
  const pause = breather();
  yield `{"success":true,"data":{${JSON.stringify(plural)}:[`;
  let comma = '';
  for await (const entry of entries) {
    yield `${comma}${JSON.stringify(entry)}`;
    comma = ',';
    await pause();
  }
  yield pagination ? `],"pagination":${JSON.stringify(pagination)}}}` : ']}}';
}

/** An answer that breaks its schema breaks off. */
async function* checkedParts(endpoint: Endpoint, page: LongPage): AsyncGenerator<string> {
  let body = '';
  for await (const part of partsOf(page)) {
    body += part;
    yield part;
  }
  checkAnswer(endpoint, body);
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
