import type { EventDefinition } from '../../../client/index.ts';

/** The client, as a program installs it. */
const PACKAGE = 'everpost';

const examples = { string: 'text', number: 12.5, boolean: true, date: '2026-01-31T12:00:00Z' } as const;

/** A body that the interface takes: every declared property with a value of its type. */
export function bodyOf({ eventName, properties }: Pick<EventDefinition, 'eventName' | 'properties'>) {
  const values = properties.map(({ propertyName, type, suggestedValues }) => [
    propertyName,
    suggestedValues[0] ?? examples[type],
  ]);
  return {
    eventName,
    email: 'ada@example.com',
    ...(values.length > 0 && { eventProperties: Object.fromEntries(values) as Record<string, unknown> }),
  };
}

export function curlOf(definition: Pick<EventDefinition, 'eventName' | 'properties'>, address: string): string {
  // A quote would end the word of the shell.
  const body = JSON.stringify(bodyOf(definition), null, 2).replaceAll("'", `'\\''`);
  return [
    `curl ${address}/v1/events/send \\`,
    `  -H "Authorization: Bearer $EVERPOST_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}

export function typescriptOf(definition: Pick<EventDefinition, 'eventName' | 'properties'>, address: string): string {
  return [
    `import { Everpost } from '${PACKAGE}';`,
    '',
    `const everpost = new Everpost({ baseUrl: ${JSON.stringify(address)} });`,
    `await everpost.events.send(${JSON.stringify(bodyOf(definition), null, 2)});`,
  ].join('\n');
}
