import type { Reply } from '../../../test/support/client.ts';
import { quantile } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { say } from '../run.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 3;
const WARM_UP = 5;
const EVERYBODY = 'GLOBAL_CONTACT_LIST';

export async function measureRequests({ client, contacts, listIds, personOf }: Stage): Promise<Figure[]> {
  const search = (body: object) => client.post('/contact-lists/contacts/search', body);
  const bulkAdd = (contactListId: string, emails: string[]) =>
    client.post('/contact-lists/contacts/bulk-add', { contactListId, emails });
  const listOf = (index: number) => listIds[index % listIds.length] as string;
  const five = (index: number, emailOf: (one: number) => string) =>
    Array.from({ length: 500 }, (_, one) => emailOf(index * 500 + one));
  const newEmail = (one: number) => `new${one}@example.com`;
  const knownEmail = (one: number) => personOf(one).email;
  const size = contacts / listIds.length;
  return [
    await latency(`search in a list of ${size} by part of an address, page 1`, 200, { atMost: 150 }, (index) =>
      search({ contactListId: listOf(index), email: partOf(personOf(index * 31).email, index) }),
    ),
    await latency('search in the global list by part of an address, page 1', 16, { atMost: 1_500 }, (index) =>
      search({ contactListId: EVERYBODY, email: partOf(personOf(index * 31).email, index) }),
    ),
    await latency('search in the global list by part of an address, page 200', 8, undefined, (index) =>
      search({ contactListId: EVERYBODY, email: `d${index % 50}.`, page: 200 }),
    ),
    await latency('first page of the global list', 100, undefined, () => search({ contactListId: EVERYBODY })),
    await latency('bulk-add of 500 new addresses', 20, { atMost: 500 }, (index) =>
      bulkAdd(listOf(index), five(index, newEmail)),
    ),
    await latency('bulk-add of 500 known addresses to another list', 20, { atMost: 500 }, (index) =>
      bulkAdd(listOf(index + 7), five(index, knownEmail)),
    ),
    await latency('bulk-update of 100 contacts, new segments kept right', 50, { atMost: 150 }, (index) =>
      client.post('/contacts/bulk-update', { contacts: changesOf(index, personOf) }),
    ),
    await latency('upsert of one contact', 200, undefined, (index) =>
      client.post('/contacts/email', { email: personOf(index * 11).email, contactProperties: { p4: index % 31 } }),
    ),
    await latency('search of 100 contacts by emails', 50, undefined, (index) =>
      client.post('/contacts/search/emails', five(index, (one) => personOf(one * 17).email).slice(0, 100)),
    ),
  ];
}

/** Three letters that some addresses have, a longer part that one has, a part of every address, and a part of none. */
function partOf(email: string, index: number): string {
  return [email.slice(1, 4), email.slice(0, 7), 'example', 'qqq'][index % 4] as string;
}

/** Changes that put people into segments and take them out. */
function changesOf(index: number, personOf: Stage['personOf']) {
  return Array.from({ length: 100 }, (_, one) => ({
    email: personOf(index * 500 + one).email,
    firstName: `A${(index + one) % 97}`,
    contactProperties: { p3: (index + one) % 31, p1: one % 17 },
  }));
}

/** The 99th percentile of each of three rounds, one call after the other. */
export async function latency(
  name: string,
  times: number,
  asked: Figure['asked'],
  call: (index: number) => Promise<Reply>,
): Promise<Figure> {
  for (let index = 1; index <= WARM_UP; index += 1) await call(ROUNDS * times + index);
  const p99s: number[] = [];
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const durations: number[] = [];
    for (let index = round * times; index < (round + 1) * times; index += 1) {
      const begun = performance.now();
      const { status, text } = await call(index);
      durations.push(performance.now() - begun);
      if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 300)}`);
    }
    p99s.push(quantile(durations, 0.99));
    all.push(...durations);
  }
  const median = quantile(all, 0.5).toFixed(1);
  say(`${name}: p50 ${median} ms, p99 ${p99s.map(Math.round).join(', ')} ms`);
  return figure(`${name}: p99`, 'ms', p99s, { asked, note: `${times} calls a round, p50 of all ${median} ms` });
}
