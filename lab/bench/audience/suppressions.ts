import { type Figure, figure } from '../../rig/results/report.ts';
import { rateOf } from '../run.ts';
import { latency } from './requests.ts';
import type { Stage } from './stage.ts';

const SUPPRESSED = 50_000;
const AT_ONCE = 10_000;
const REASONS = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'];

export async function measureSuppressions({ client, personOf }: Stage): Promise<Figure[]> {
  const groupId: string = (await client.post('/suppression-groups', { name: 'Offers' })).body.data.id;
  const rate = await rateOf(SUPPRESSED, async () => {
    for (let turn = 0; turn < SUPPRESSED / AT_ONCE; turn += 1) {
      const emails = Array.from({ length: AT_ONCE }, (_, offset) => personOf(turn * AT_ONCE + offset).email);
      const target = [{ isGlobal: true }, { groupId }, {}][turn % 3];
      await client.post('/suppression-groups/emails/suppress', { emails, reason: REASONS[turn % 4], ...target });
    }
  });
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const searches = [
    {},
    { reason: 'BOUNCE' },
    { groupId },
    { groupId, reason: 'BOUNCE', page: 50 },
    { isGlobal: true },
    { email: personOf(5).email },
    { startDate: hourAgo, groupId },
  ];
  const search = (body: object) => client.post('/suppression-groups/entries', body);
  const asked = { atMost: 50 };
  return [
    figure('suppress, 10,000 addresses a call', '/s', [rate]),
    await latency(`search among ${SUPPRESSED} suppressions, every filter in turn`, 105, asked, (index) =>
      search(searches[index % searches.length] ?? {}),
    ),
    await latency(`search among ${SUPPRESSED} suppressions by three letters of the address`, 100, asked, (index) =>
      search({ search: personOf(index * 31).email.slice(1, 4) }),
    ),
  ];
}
