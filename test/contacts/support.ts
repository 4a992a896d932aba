import { expect } from 'chai';
import type { Client, Reply } from '../support/client.ts';
import type { Environment, Tenant } from '../support/environment.ts';
import { until } from '../support/wait.ts';

/** For many calls at once: a busy database refuses calls with 503, which are repeated under their key. */
export function postUntilTaken(client: Client, path: string, body: unknown): Promise<Reply> {
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  return until(
    () => client.post(path, body, key),
    ({ status }) => status < 500,
    { ms: 90_000 },
  );
}

/** The counts of GET /contact-lists, and the same counted from the contacts. */
export async function expectCountsRight({ deps }: Environment, { project, client }: Tenant): Promise<void> {
  const readLists = async () => (await client.get('/contact-lists?limit=100')).body.data.lists;
  // The background may count a fact between the two reads.
  const { lists, contacts } = await until(
    async () => ({
      lists: await readLists(),
      contacts: await deps.db.contacts.find({ projectId: project._id }).toArray(),
      after: await readLists(),
    }),
    ({ lists: before, after }) => JSON.stringify(before) === JSON.stringify(after),
  );
  const recount = (id: string) =>
    id === 'GLOBAL_CONTACT_LIST'
      ? contacts.length
      : contacts.filter(({ listIds, segmentIds }) =>
          [...listIds, ...segmentIds].some((one) => one.toHexString() === id),
        ).length;
  const said = lists.map(({ id, contactCount }: { id: string; contactCount: number }) => [id, contactCount]);
  expect(said).to.deep.equal(said.map(([id]: [string]) => [id, recount(id)]));
}

export const segmentOf = (field: string, operator: string, value?: unknown, fieldType?: string) => ({
  name: `${field} ${operator}`,
  filterCriteria: { logicalOperator: 'AND', groups: [{ field, operator, value, fieldType }] },
});

export const addresses = (count: number, name = 'p') =>
  Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);
