import type { Deps } from '../../../core/base/deps.ts';
import { AppError, invalid } from '../../../core/base/errors.ts';
import { textsIn } from '../../../core/base/text/languages/index.ts';
import { confirmPending, findPending } from '../../../core/forms/confirm.ts';
import type { Fault } from '../../../core/forms/read-values.ts';
import { consentVersion, findShownForm, type ShownForm } from '../../../core/forms/shown-form.ts';
import { type Submission, submitForm } from '../../../core/forms/submit.ts';
import { stampOf } from '../../../core/forms/tokens.ts';
import {
  EMAIL_INPUT,
  formPageQuery,
  HONEYPOT_INPUT,
  SHOWN_INPUT,
  STAMP_INPUT,
  submitFormBody,
} from '../../../schemas/forms.ts';
import { readForm, readSmallJson } from '../../http/body/form.ts';
import { endpoint, Page, type RequestFacts } from '../../http/endpoint.ts';
import { errorAnswerOf } from '../../http/errors.ts';
import { ownOrigin } from '../../http/identity/own-origin.ts';
import { validateBody } from '../../http/validate.ts';
import { confirmPage, pressedPage } from '../../pages/confirm.ts';
import { formPage, refusedPage, submittedPage } from '../../pages/form.ts';
import { linkNotFound } from '../../pages/not-found.ts';

const tag = 'public';
const path = '/f/{formId}';
const errors = { 404: 'There is no such form, or it is inactive.' } as const;
const confirmErrors = { 404: 'The link is not one of ours, or is older than seven days.' } as const;
const JSON_TYPE = 'application/json';
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

export const publicFormRoutes = [
  endpoint({
    operation: 'public.formPage',
    method: 'get',
    path,
    key: 'none',
    tag,
    summary: 'The page of a form',
    query: formPageQuery,
    produces: ['text/html'],
    errors,
    handler: async ({ deps, params, query, request }) => {
      const shown = await shownForm(deps, params.formId, request, query.lang);
      return shown ? formPage(shown, freshStamp(deps, shown)) : linkNotFound(request);
    },
  }),
  endpoint({
    operation: 'public.submitForm',
    method: 'post',
    path,
    key: 'none',
    tag,
    summary: 'Send a form. The answer is the same for every address',
    description:
      'The page of the form posts to itself. A page of an allowed origin posts the same fields, or JSON: {"email": "ada@example.org", "fields": {"firstName": "Ada"}, "lang": "de"}, answered with {"success": true, "data": {"message", "redirectTo"}}.',
    query: formPageQuery,
    rawBody: [...FORM_TYPES, JSON_TYPE],
    produces: ['text/html'],
    errors: { ...errors, 403: 'The origin is not an allowed one of the form.' },
    handler: async ({ deps, params, query, request }) => {
      const isJson = request.header('content-type').toLowerCase().startsWith(JSON_TYPE);
      return isJson ? submitJson(deps, params.formId, request) : submitPage(deps, params.formId, request, query.lang);
    },
  }),
  endpoint({
    operation: 'public.formPreflight',
    method: 'options',
    path,
    key: 'none',
    tag,
    summary: 'Say to a browser whether a page of its origin may send the form as JSON',
    produces: ['text/html'],
    errors,
    handler: async ({ deps, params, request }) => {
      const shown = await shownForm(deps, params.formId, request);
      if (!shown) return linkNotFound(request);
      const allowed = { 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Allow-Headers': 'Content-Type' };
      const isAllowed = isAllowedOrigin(shown, request);
      return new Page(204, { ...corsHeaders(shown, request), ...(isAllowed ? allowed : {}) }, null);
    },
  }),
  endpoint({
    operation: 'public.confirmPage',
    method: 'get',
    path: '/f/confirm/{token}',
    key: 'none',
    tag,
    summary: 'The page that the link of a confirmation mail opens. Looking at it changes nothing',
    produces: ['text/html'],
    errors: confirmErrors,
    handler: async ({ deps, params, request }) => {
      const shown = await findPending(deps, params.token ?? '');
      return shown ? confirmPage(shown) : linkNotFound(request);
    },
  }),
  endpoint({
    operation: 'public.confirm',
    method: 'post',
    path: '/f/confirm/{token}',
    key: 'none',
    tag,
    summary: 'The button of that page: confirms what the page showed, which is everything that waits for the address',
    rawBody: [...FORM_TYPES, ''],
    produces: ['text/html'],
    errors: {
      ...confirmErrors,
      409: 'A form was sent since the page was shown: nothing is confirmed; the page comes again.',
    },
    handler: async ({ deps, params, request }) => {
      const given = (await readForm(request.incoming)).get(SHOWN_INPUT) ?? '';
      const revision = /^\d{1,15}$/.test(given) ? Number(given) : null;
      const pressed = await confirmPending(deps, params.token ?? '', { revision, ip: request.ip });
      return pressed ? pressedPage(pressed) : linkNotFound(request);
    },
  }),
];

function shownForm(deps: Deps, formId = '', request: RequestFacts, lang?: string): Promise<ShownForm | null> {
  return findShownForm(deps, formId, { lang, acceptLanguage: request.header('accept-language') });
}

async function submitPage(deps: Deps, formId: string | undefined, request: RequestFacts, lang?: string): Promise<Page> {
  const [values, shown] = await Promise.all([readForm(request.incoming), shownForm(deps, formId, request, lang)]);
  if (!shown) return linkNotFound(request);
  if (!mayPost(deps, shown, request)) return refusedPage(shown, 403);
  const given = values.get(STAMP_INPUT);
  const submission: Submission = {
    email: values.get(EMAIL_INPUT),
    values: Object.fromEntries(values),
    isPage: true,
    // Forms of other sites have no stamp; without one, elsewhere, it is a robot.
    stamp: given ?? (isAllowedOrigin(shown, request) ? null : ''),
    honeypot: values.get(HONEYPOT_INPUT) ?? '',
    ip: request.ip,
  };
  try {
    const result = await submitForm(deps, shown, submission);
    if (result.kind === 'stored') return submittedPage(shown);
    if (result.kind === 'faults')
      return formPage(shown, given ?? freshStamp(deps, shown), wrong(values, result.faults, null));
    const notice = textsIn(shown.language).form[result.kind];
    const stamp = result.kind === 'early' && given !== undefined ? given : freshStamp(deps, shown);
    return formPage(shown, stamp, wrong(values, [], notice));
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'rate_limited')) throw error;
    return refusedPage(shown, 429, errorAnswerOf(error).headers);
  }
}

async function submitJson(deps: Deps, formId: string | undefined, request: RequestFacts): Promise<Page> {
  const { value, sizeBytes } = await readSmallJson(request.incoming);
  const shown = await shownForm(deps, formId, request, langOf(value));
  if (!shown) return linkNotFound(request);
  const headers = corsHeaders(shown, request);
  try {
    if (!mayPost(deps, shown, request))
      throw new AppError('forbidden', 'This origin is not an allowed one of the form.');
    const { email, fields = {} } = validateBody(submitFormBody, value, sizeBytes);
    const sent = { email, values: fields, isPage: false, stamp: null, honeypot: '', ip: request.ip };
    const result = await submitForm(deps, shown, sent);
    if (result.kind === 'faults') throw faultsOf(result.faults);
    const data = { message: shown.words.submitted, redirectTo: shown.form.redirectTo.submitted };
    return new Page(200, headers, JSON.stringify({ success: true, data }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const answer = errorAnswerOf(error);
    return new Page(answer.status, { ...headers, ...answer.headers }, answer.body);
  }
}

function freshStamp({ config, clock }: Deps, shown: ShownForm): string {
  return stampOf(config, { formId: shown.form._id, shownAt: clock.now(), textVersion: consentVersion(shown) });
}

function wrong(values: Map<string, string>, faults: Fault[], notice: string | null) {
  return { status: 400 as const, values, faults, notice };
}

/** Our own page, which browsers may say nothing of, or one of an allowed origin. */
function mayPost({ config }: Deps, shown: ShownForm, request: RequestFacts): boolean {
  const origin = request.header('origin');
  const isOwn = origin === '' || origin === 'null' || origin === ownOrigin(config, request.incoming);
  return isOwn || isAllowedOrigin(shown, request);
}

function isAllowedOrigin({ form }: ShownForm, request: RequestFacts): boolean {
  return form.allowedOrigins.includes(request.header('origin'));
}

function corsHeaders(shown: ShownForm, request: RequestFacts): Record<string, string> {
  const allowed = { 'Access-Control-Allow-Origin': request.header('origin') };
  const always = { 'Content-Type': `${JSON_TYPE}; charset=utf-8`, Vary: 'Origin', 'Cache-Control': 'no-store' };
  return { ...always, ...(isAllowedOrigin(shown, request) ? allowed : {}) };
}

const problems: Record<Fault['kind'], string> = {
  required: 'is required',
  email: 'must be an email address',
  mobile: 'must be a number in E.164 form, for example +12025550123',
  number: 'must be a number',
  date: 'must be a date as 2026-03-02',
  option: 'must be one of the options',
  long: 'is too long',
  text: 'must be one line of valid text',
};

function faultsOf(faults: Fault[]): AppError {
  const lines = faults.map(({ field, kind }) => `${field === 'email' ? '' : 'fields/'}${field}: ${problems[kind]}`);
  return invalid(`The form is not valid: ${lines.join('; ')}`, lines.join('; '));
}

function langOf(value: unknown): string | undefined {
  const { lang } = (typeof value === 'object' && value !== null ? value : {}) as { lang?: unknown };
  return typeof lang === 'string' ? lang : undefined;
}
