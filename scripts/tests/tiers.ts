/**
 * Left to `npm run test:rest`: the tests of the workshop, pixels, kills that take long, and everything at its maximum.
 * All others protect behaviour and run by `npm test`.
 */
const rest = [
  'test/lab/',
  'test/maximum/',
  'test/previews/browser.test.ts',
  'test/console/shifts.test.ts',
  'test/public/axe.test.ts',
  'test/automations/crashes.test.ts',
  'test/client/quickstarts.test.ts',
  'test/outages/',
  'test/stack/',
];

export function isOfRest(file: string): boolean {
  return rest.some((start) => file.startsWith(start));
}

/** A file that protects one of these says so in its first line, and has no second try. */
export const promises = [
  'nothing is lost',
  'nothing is sent twice',
  'counts are exact',
  'projects are apart',
  'who left is not mailed',
  'recorded histories replay',
];

/** `// Promise: nothing is lost.` */
export function promiseOf(source: string): string | null {
  return /^\/\/ Promise: (.+)\.\n/.exec(source)?.[1] ?? null;
}
