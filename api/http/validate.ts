import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { AppError, invalid } from '../../core/base/errors.ts';
import { isE164, normalizeEmail } from '../../core/base/text/addresses.ts';
import { coerce } from '../../core/base/text/coercion.ts';
import { canonicalTag } from '../../core/base/text/languages/tags.ts';
import { isTimezone } from '../../core/base/time/zones.ts';
import { type JsonSchema, mapInside, type Schema } from '../../schemas/schema.ts';
import { nameSentence, sentenceOf } from '../../schemas/sentences.ts';

const DETAILS_MAX = 20;
const EXPLAINED_VALUES_MAX = 20_000;
/** Faults of a choice are compared with each other. */
const FAULTS_READ_MAX = 1_000;

const options = {
  allErrors: false,
  verbose: true,
  keywords: ['x-hint'],
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  useDefaults: true,
  formats: {
    email: (text: string) => normalizeEmail(text) !== null,
    'email-or-empty': (text: string) => text === '' || normalizeEmail(text) !== null,
    timezone: isTimezone,
    language: (text: string) => canonicalTag(text) !== null,
    'date-time': (text: string) => coerce('date', text).ok,
    mobile: (text: string) => text === '' || isE164(text),
    uri: (text: string) => URL.canParse(text),
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    binary: true as const,
    // One line of a header: we do the folding, so control characters are refused.
    line: (text: string) => !/\p{Cc}|\u2028|\u2029/u.test(text),
    lines: (text: string) => !/(?![\r\n])\p{Cc}/u.test(text),
  },
};

const first = new Ajv(options);
/** Used only after a first fault was found: collecting all faults of a hostile body is expensive. */
const every = new Ajv({ ...options, allErrors: true });
const firstInQuery = new Ajv({ ...options, coerceTypes: true });

type Compiled = { check: ValidateFunction; explain: ValidateFunction | null };
const compiled = new WeakMap<object, Compiled>();

export function validateBody<T>(schema: Schema<T>, body: unknown, sizeBytes: number): T {
  const { check, explain } = compile(schema, first, every);
  if (check(body)) return body as T;
  const errors = check.errors ?? [];
  if (!explain || sizeBytes > 1_000_000 || !holdsFew(body)) throw validationError(errors);
  explain(body);
  throw validationError(explain.errors ?? errors);
}

/** Each value of a body may be a fault of its own, for which an object is made before the first is read. */
function holdsFew(body: unknown): boolean {
  const left: unknown[] = [body];
  let count = 0;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.values(value);
    count += inside.length;
    if (count > EXPLAINED_VALUES_MAX) return false;
    left.push(...inside);
  }
  return true;
}

/** Of entries that fail alone (`x-checked-alone`): each of them, or what is wrong with it. */
export function validateEach<T>(
  schema: Schema<T>,
  entries: readonly unknown[],
  sizeBytes: number,
): Array<T | AppError> {
  return entries.map((entry) => {
    try {
      return validateBody(schema, entry, sizeBytes);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  });
}

export function validateQuery<T>(schema: Schema<T>, query: Record<string, unknown>): T {
  const { check } = compile(schema, firstInQuery, null);
  const copy = { ...query };
  if (check(copy)) return copy as T;
  throw validationError(check.errors ?? []);
}

/** For tests: checks an answer or an event against its schema, which names every field. */
export function answerFault(schema: Schema<unknown>, data: unknown): string | null {
  const closed = closedSchemas.get(schema.json) ?? { json: closedObjects(schema.json) };
  closedSchemas.set(schema.json, closed);
  const { check } = compile(closed, first, null);
  return check(JSON.parse(JSON.stringify(data))) ? null : explainErrors(check.errors ?? []);
}

const closedSchemas = new WeakMap<object, Schema<unknown>>();

/** Objects whose fields are declared take no others. */
function closedObjects(schema: JsonSchema): JsonSchema {
  const inside = mapInside(schema, closedObjects);
  return inside.properties && !inside.additionalProperties ? { ...inside, additionalProperties: false } : inside;
}

function compile(schema: Schema<unknown>, one: Ajv, all: Ajv | null): Compiled {
  const known = compiled.get(schema);
  if (known) return known;
  const json = withoutAlone(schema.json);
  const made = { check: one.compile(json), explain: all?.compile(json) ?? null };
  compiled.set(schema, made);
  return made;
}

/** The endpoint checks these entries itself. */
function withoutAlone(schema: JsonSchema): JsonSchema {
  return schema['x-checked-alone'] ? {} : mapInside(schema, withoutAlone);
}

function validationError(errors: ErrorObject[]): AppError {
  const details = explainErrors(errors);
  return invalid(`The request is not valid: ${details}`, details);
}

function explainErrors(errors: ErrorObject[]): string {
  const faults = errors.filter(({ keyword }) => !SAID_ELSEWHERE.has(keyword)).slice(0, FAULTS_READ_MAX);
  const lines = new Set(ofChoices(faults).map(explainError));
  return [...lines].slice(0, DETAILS_MAX).join('; ');
}

/** Of a value that none of several schemas takes: what is wrong inside it, or else the sentence of the choice alone. */
function ofChoices(errors: ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  const isInside = (error: ErrorObject, choice: ErrorObject) =>
    error.instancePath.startsWith(`${choice.instancePath}/`);
  return errors.filter((error) =>
    error.keyword === 'anyOf'
      ? !errors.some((other) => isInside(other, error))
      : choices.every((one) => !error.schemaPath.startsWith(`${one.schemaPath}/`) || isInside(error, one)),
  );
}

/** Ajv adds these to the error of the rule that they hold. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['if', 'propertyNames']);

/** "cc/3/email: must be an email address" */
function explainError({ keyword, params, instancePath, propertyName, parentSchema }: ErrorObject): string {
  const inside: unknown = params.missingProperty ?? params.additionalProperty;
  const places = instancePath.split('/').slice(1);
  if (inside !== undefined) places.push(String(inside));
  const field = places.findLast((place) => !/^\d+$/.test(place)) ?? '';
  const sentence = sentenceOf({ rule: keyword, params, field, schema: parentSchema ?? {} });
  const said = propertyName === undefined ? (sentence ?? 'is not valid') : nameSentence(propertyName, sentence);
  return `${places.join('/') || 'body'}: ${said}`;
}
