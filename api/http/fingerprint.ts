import { createHash } from 'node:crypto';

/** Method, path and parsed body; the order of fields and white space do not matter. */
export function fingerprintOf(method: string, path: string, body: unknown): string {
  return createHash('sha256').update(`${method} ${path}\n`).update(canonical(body)).digest('base64url');
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, entry) =>
      typeof entry === 'object' && entry !== null && !Array.isArray(entry)
        ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
        : entry,
    ) ?? ''
  );
}
