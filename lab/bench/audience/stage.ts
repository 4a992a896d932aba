import type { Child } from '../../../stack/processes/child.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import { type DrillContext, openDrill } from '../../rig/context.ts';
import { noRelay } from '../../rig/sink.ts';

export const LISTS = 50;
export const properties = Array.from({ length: 10 }, (_, index) => `p${index}`);
/** The segments that are there before anybody is, with what puts a person of `personOf` into each. */
const segments: { name: string; group: object; takes(person: Person): boolean }[] = [
  {
    name: 'By address',
    group: { field: 'email', operator: 'contains', value: '@d7.' },
    takes: ({ email }) => email.includes('@d7.'),
  },
  {
    name: 'By number',
    group: { field: 'contactProperties.p3', operator: 'greater_than', value: 15, fieldType: 'number' },
    takes: ({ values }) => (values[3] ?? 0) > 15,
  },
  {
    name: 'By name',
    group: { field: 'firstName', operator: 'equals', value: 'a13' },
    takes: ({ firstName }) => firstName === 'A13',
  },
];

export interface Person {
  email: string;
  firstName: string;
  lastName: string;
  listId: string;
  values: number[];
}

/** A project with 50 lists, 10 custom properties and 3 segments; the API and the worker are processes of their own. */
export interface Stage {
  drill: DrillContext;
  client: Client;
  /** Ends in /v1. */
  url: string;
  api: Child;
  worker: Child;
  contacts: number;
  listIds: string[];
  segments: { id: string; takes(person: Person): boolean }[];
  personOf(index: number): Person;
  close(): Promise<void>;
}

export async function openStage(contacts: number): Promise<Stage> {
  const drill = await openDrill(process.env, { relay: noRelay });
  const { child: api, url } = await drill.startApi({ PUBLIC_RATE_LIMIT: '100000000' });
  const orchestrator = await drill.startWorker({ WORKER_LANES: 'workflows' });
  const worker = await drill.startWorker({ WORKER_LANES: 'background' });
  const client = createClient(url.replace(/\/v1$/, ''), drill.key);
  for (const fieldName of properties.slice(0, 5))
    await client.post('/custom-fields', { fieldName, fieldType: 'number' });
  const create = async (body: object): Promise<string> => (await client.post('/contact-lists', body)).body.data.id;
  const listIds: string[] = [];
  for (let index = 0; index < LISTS; index += 1) listIds.push(await create({ name: `List ${index}` }));
  const made: Stage['segments'] = [];
  for (const { name, group, takes } of segments)
    made.push({ id: await create({ name, filterCriteria: { groups: [group] } }), takes });
  return {
    ...{ drill, client, url, api, worker, contacts, listIds, segments: made },
    personOf: (index) => ({
      email: `p${((index * 7_919) % contacts).toString(36)}x@d${index % 50}.example.com`,
      firstName: `A${index % 97}`,
      lastName: 'Lee',
      listId: listIds[index % LISTS] as string,
      values: properties.map((_, column) => (index * (column + 3)) % (10 + column * 7)),
    }),
    async close() {
      await Promise.all([orchestrator, worker, api].map((child) => child.stop(9_000)));
      await drill.close();
    },
  };
}
