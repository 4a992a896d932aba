/**
 * Left to `npm run test:rest`: the tests of the workshop, pixels, a walk through every page, packages as they are built, kills that take
 * long, everything at its maximum, and what measures CPU time, which has to run alone. All others protect behaviour and run by `npm test`.
 */
const rest = [
  'test/lab/',
  'test/linear/',
  'test/maximum/',
  'test/previews/browser.test.ts',
  'test/console/crawl.test.ts',
  'test/console/parts/dialogs.test.ts',
  'test/console/shifts.test.ts',
  'test/public/axe.test.ts',
  'test/automations/enrollments/crashes.test.ts',
  'test/client/package.test.ts',
  'test/client/quickstarts.test.ts',
  'test/client/sends.test.ts',
  'test/delivery/kills.test.ts',
  'test/mails/submission-kills.test.ts',
  'test/outages/',
  'test/stack/',
];

/** Random cases that take long: `npm test` tries a fifth of them, `npm run test:rest` all. */
const sampled = [
  'test/automations/entries/occurrences.test.ts',
  'test/automations/simulation/matches-runtime.test.ts',
  'test/automations/waits/event-and-time-out.test.ts',
  'test/campaigns/numbers/property.test.ts',
  'test/campaigns/variants/sending.test.ts',
  'test/console/send/automation-acts.test.ts',
  'test/contacts/behaviour/property.test.ts',
  'test/fuzz/',
  'test/migrations/suppressed.test.ts',
  'test/migrations/unsubscribed.test.ts',
  'test/reports/recount.test.ts',
];

export function isOfRest(file: string): boolean {
  return rest.some((start) => file.startsWith(start));
}

export function isSampled(file: string): boolean {
  return sampled.some((start) => file.startsWith(start));
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
