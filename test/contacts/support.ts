import { expect } from 'chai';
import type { Environment, Tenant } from '../support/environment.ts';

/** The counts of GET /contact-lists, and the same counted from the contacts. */
export async function expectCountsRight({ deps }: Environment, { project, client }: Tenant): Promise<void> {
  const { lists } = (await client.get('/contact-lists?limit=100')).body.data;
  const contacts = await deps.db.contacts.find({ projectId: project._id }).toArray();
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
