import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Pace } from '../../platform/providers/pace.ts';
import { paceBySlots } from '../../platform/providers/pace.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

const RATE = 2;
const OK = new Headers();

describe('The pace of provider B', () => {
  let env: Environment;

  before(async () => {
    env = await startEnvironment();
  });
  after(() => env.stop());

  /** Of a process of its own: it shares nothing with the others but the database. */
  const paceOf = (key: string): Pace => paceBySlots(env.deps.db.providerPaces, RATE)(key);

  /** When each request left, all of them asked for at once. */
  async function requests(paces: Pace[]): Promise<number[]> {
    const began = performance.now();
    const left = paces.map(async (pace) => {
      await pace.turn();
      const at = performance.now() - began;
      await pace.answered(200, OK);
      return at;
    });
    return (await Promise.all(left)).toSorted((a, b) => a - b);
  }

  it('is one for all processes that use a key: six requests of two of them take over two seconds', async () => {
    const [first, second] = [paceOf('re_shared'), paceOf('re_shared')];
    const left = await requests([first, second, first, second, first, second]);
    expect(left.at(-1)).above(2_000);
    for (const [index, at] of left.entries()) expect(at, `request ${index}`).at.least((index * 1_000) / RATE);
  });

  it('names the account that made a request, and not its key', async () => {
    const accounts: string[] = [];
    const pace = paceBySlots(env.deps.db.providerPaces, RATE, (account) => accounts.push(account))('re_shown');
    await pace.turn();
    expect(accounts).deep.equal([createHash('sha256').update('provider B re_shown').digest('hex').slice(0, 8)]);
  });

  it('is one for each key: requests of another account do not wait for it', async () => {
    const { providerPaces } = env.deps.db;
    await providerPaces.deleteMany({});
    await requests(Array.from({ length: 6 }, (_, index) => paceOf(`re_of_its_own_${index}`)));
    const slots = (await providerPaces.find().toArray()).map(({ next, at }) => next.getTime() - at.getTime());
    expect(slots).deep.equal(Array.from({ length: 6 }, () => 550));
  });

  it('is held for all processes by the 429 that one of them gets', async () => {
    const [first, second] = [paceOf('re_limited'), paceOf('re_limited')];
    await first.turn();
    const began = performance.now();
    expect(await first.answered(429, new Headers({ 'retry-after': '2' }))).equal(2_000);
    await second.turn();
    expect(performance.now() - began).at.least(1_900);
  });
});
