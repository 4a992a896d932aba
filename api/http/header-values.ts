import type { IncomingMessage } from 'node:http';

/** `Cache-Control` of a file whose name has a hash of its content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** Node keeps only the first of two Authorization headers; the raw list shows both. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string;
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] as string);
  }
  return values;
}
