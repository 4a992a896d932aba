import { expect } from 'chai';
import type { ObjectId } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import type { Environment, Tenant } from '../support/environment.ts';

type Type = 'text/csv' | 'application/x-ndjson';

/** Uploads a file, does the work of its workflow, and returns the import as the caller then sees it. */
export async function imported(
  { deps }: Environment,
  { client, project }: Tenant,
  body: string,
  { type = 'text/csv', query = '' }: { type?: Type; query?: string } = {},
) {
  const accepted = await client.send('POST', `/contacts/import${query}`, { body, headers: { 'Content-Type': type } });
  expect(accepted.status, accepted.text).to.equal(202);
  const { importId } = accepted.body.data;
  await importSlice(deps, { projectId: project._id, importId: parseId(importId) as ObjectId }, { timeMs: 60_000 });
  return (await client.get(`/contacts/imports/${importId}`)).body.data;
}

export async function previewed({ client }: Tenant, body: string, query = '', type: Type = 'text/csv') {
  const init = { body, headers: { 'Content-Type': type } };
  const answer = await client.send('POST', `/contacts/import/preview${query}`, init);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.data;
}

/** Every entry of a project as `address group reason`, by the names of the groups. */
export async function entriesOf({ client }: Tenant): Promise<string[]> {
  const { groups } = (await client.get('/suppression-groups?limit=100')).body.data;
  const names = new Map(groups.map(({ groupId, name }: { groupId: string; name: string }) => [groupId, name]));
  const { text } = await client.get('/suppression-groups/entries/export?format=ndjson');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line))
    .map(({ email, groupId, reason }) => `${email} ${names.get(groupId)} ${reason}`)
    .sort();
}

/** The counts that groups store are those of their entries. */
export async function expectGroupCountsRight({ deps: { db } }: Environment, { project }: Tenant): Promise<void> {
  const projectId = project._id;
  for (const { groupId, counts } of await db.suppressionGroups.find({ projectId }).toArray()) {
    const found = await db.suppressions.find({ projectId, groupId }).toArray();
    const by = Map.groupBy(found, ({ reason }) => reason);
    for (const [reason, stored] of Object.entries(counts))
      expect(stored, reason).to.equal(by.get(reason as keyof typeof counts)?.length ?? 0);
  }
}
