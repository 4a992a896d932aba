import fc from 'fast-check';
import type { Answer } from '../providers/stand-in.ts';

/** A change of one answer of a provider on its way. `at` chooses a place in its JSON. */
export type Warp =
  | { kind: 'none' }
  | { kind: 'value'; at: number; value: unknown }
  | { kind: 'remove'; at: number }
  | { kind: 'twice'; at: number }
  | { kind: 'more' }
  | { kind: 'again' }
  | { kind: 'empty' }
  | { kind: 'text'; text: string }
  | { kind: 'status'; status: number; text: string }
  | { kind: 'headers'; headers: Record<string, string> };

const LONG = 100_000;
const DEEP = 5_000;

/** Wrong types, ends of ranges, names that mean something to JavaScript, and text of any kind. */
const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [null], [[]], { value: {} }),
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    '$where',
    '../..',
    '%00',
    '\r\nX: y',
  ),
  fc.constantFrom<unknown>('http://127.0.0.1:1/x', 'file:///etc/passwd', '?page_token=same', '<script>', '{{#each x}}'),
  fc.integer({ min: 1, max: LONG }).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.jsonValue(),
);

const hostileText = fc.oneof(
  fc.constantFrom('', 'null', '[]', '{}', '"text"', '1', 'NaN', '{"data":', '\u0000', '<html>busy</html>'),
  fc.constant('['.repeat(DEEP)),
  fc.constant(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

/** No long waits: those are as the provider asks, and a test has no time for them. */
const headers = fc.dictionary(
  fc.constantFrom('retry-after', 'x-ratelimit-reset', 'x-ratelimit-remaining', 'ratelimit-reset', 'location', 'x-y'),
  fc.constantFrom('-1', '1', 'NaN', '', 'x'.repeat(1_000), 'http://127.0.0.1:1/'),
);

/** Faults that no repeat mends, so that a call which has patience ends at once. */
const shapes: fc.Arbitrary<Warp> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Warp>({ kind: 'none' }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('value' as const), at: fc.nat(), value: hostileValue }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('twice' as const), at: fc.nat() }) },
  { weight: 3, arbitrary: fc.constantFrom<Warp>({ kind: 'more' }, { kind: 'again' }, { kind: 'empty' }) },
);

const faults: fc.Arbitrary<Warp> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: hostileText }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(201, 204, 302, 400, 401, 403, 404, 405, 409, 422, 429, 500, 503),
    text: hostileText,
  }),
  fc.record({ kind: fc.constant('headers' as const), headers }),
);

/** Of the requests of one case in turn, and then from the front again. */
export const shapeWarps = fc.array(shapes, { minLength: 1, maxLength: 30 });
export const warps = fc.array(fc.oneof({ weight: 3, arbitrary: shapes }, { weight: 1, arbitrary: faults }), {
  minLength: 1,
  maxLength: 30,
});

/** `before` is the last answer to the same path, whatever its query. */
export function warped(answer: Answer, warp: Warp, before: Answer | undefined): Answer {
  switch (warp.kind) {
    case 'none':
      return answer;
    case 'again':
      return before ?? answer;
    case 'text':
      return { ...answer, body: warp.text };
    case 'status':
      return { status: warp.status, headers: {}, body: warp.status === 204 ? '' : warp.text };
    case 'headers':
      return { ...answer, headers: { ...answer.headers, ...warp.headers } };
    default: {
      const body = structuredClone(answer.body);
      return { ...answer, body: changed(body, warp) };
    }
  }
}

function changed(
  body: unknown,
  warp: Extract<Warp, { kind: 'value' | 'remove' | 'twice' | 'more' | 'empty' }>,
): unknown {
  if (!isObject(body)) return warp.kind === 'value' ? warp.value : body;
  if (warp.kind === 'more') {
    const next = 'https://provider.example/next?page_token=same';
    return Array.isArray(body) ? body : { ...body, has_more: true, _metadata: { next } };
  }
  const places = placesIn(body);
  if (warp.kind === 'empty') {
    for (const [owner, key] of places) if (Array.isArray(owner[key])) owner[key] = [];
    return Array.isArray(body) ? [] : body;
  }
  const place = places[warp.at % Math.max(1, places.length)];
  if (!place) return body;
  const [owner, key] = place;
  if (warp.kind === 'value') owner[key] = warp.value;
  else if (warp.kind === 'remove') delete owner[key];
  else if (Array.isArray(owner[key])) owner[key] = [...owner[key], ...owner[key]];
  else if (Array.isArray(owner)) owner.push(owner[Number(key)]);
  return body;
}

type Owner = Record<string, unknown>;

function placesIn(value: Owner): [Owner, string][] {
  return Object.keys(value).flatMap((key): [Owner, string][] => {
    const inner = value[key];
    return [[value, key], ...(isObject(inner) ? placesIn(inner) : [])];
  });
}

function isObject(value: unknown): value is Owner {
  return value !== null && typeof value === 'object';
}
