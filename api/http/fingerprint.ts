import { createHash } from 'node:crypto';

/** Method, path and parsed body; the order of fields and white space do not matter. */
export function fingerprintOf(method: string, path: string, body: unknown): string {
  const canonical = JSON.stringify(ordered(body)) ?? '';
  return createHash('sha256').update(`${method} ${path}\n`).update(canonical).digest('base64url');
}

/** The value with the fields of its objects in one order. A replacer would be called for each value of a long list. */
function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, ordered(fields[name])]),
  );
}
