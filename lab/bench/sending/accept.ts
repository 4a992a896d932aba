import { type Collection, MongoClient, ObjectId } from 'mongodb';
import { openDrill } from '../../rig/context.ts';
import { microsEach, mongodPid, quantile, usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { atOnce } from '../../rig/waiting.ts';
import { inRounds } from '../run.ts';
import { hammer, sendRequest } from './posts.ts';
import type { Size } from './size.ts';

/** Until both sides are compiled: a process needs 15,000 calls for it, and the first thousand cost twice as much as the rest. */
const WARM_SECONDS = 8;

/** With authentication, validation, rate limit and the durable record; in turns with bare inserts, since the machine's speed drifts. */
export async function accept({ rounds, seconds, connections }: Size): Promise<Figure[]> {
  const drill = await openDrill(process.env);
  const { url, child } = await drill.startApi();
  const { mongodbUrl, mongodbDatabase } = drill.deps.config;
  const client = new MongoClient(mongodbUrl, {
    writeConcern: { w: 'majority', journal: true },
    maxPoolSize: connections,
  });
  const bare = client.db(mongodbDatabase).collection('bare');
  const mongod = await mongodPid(drill.deps);
  const request = sendRequest(url, drill.key);
  await hammer(url, request, { connections, seconds: WARM_SECONDS });
  await inserts(bare, { connections, seconds: WARM_SECONDS });
  const of = await inRounds(rounds, async () => {
    const bareDelays = await inserts(bare, { connections, seconds });
    const [apiBefore, mongodBefore] = [usageOf(child.pid), usageOf(mongod)];
    const delays = await hammer(url, request, { connections, seconds });
    return {
      posts: delays.length / seconds,
      inserts: bareDelays.length / seconds,
      p50: quantile(delays, 0.5),
      p99: quantile(delays, 0.99),
      bareP50: quantile(bareDelays, 0.5),
      bareP99: quantile(bareDelays, 0.99),
      apiMicros: microsEach(apiBefore, usageOf(child.pid), delays.length),
      mongodMicros: microsEach(mongodBefore, usageOf(mongod), delays.length),
    };
  });
  await client.close();
  await child.stop(9_000);
  await drill.close();
  const what = `POST /mails/send at ${connections} connections`;
  const bound = `bare single majority-committed inserts, ${connections} in flight`;
  return [
    figure(what, '/s', of.posts, {
      ceiling: { name: bound, values: of.inserts },
      asked: { of: 'ratio', atLeast: 1.2, aim: 1.5 },
    }),
    figure(`${what}, p50`, 'ms', of.p50, { ceiling: { name: bound, values: of.bareP50 } }),
    figure(`${what}, p99`, 'ms', of.p99, { ceiling: { name: bound, values: of.bareP99 }, asked: { atMost: 150 } }),
    figure(`${what}, CPU of the API each`, 'us', of.apiMicros),
    figure(`${what}, CPU of mongod each`, 'us', of.mongodMicros),
  ];
}

async function inserts(bare: Collection, { connections, seconds }: Pick<Size, 'connections' | 'seconds'>) {
  const end = performance.now() + seconds * 1_000;
  const delays: number[] = [];
  const one = async () => {
    while (performance.now() < end) {
      const began = performance.now();
      const row = { _id: new ObjectId(), projectId: 'p', state: 'queued', email: 'a@in.test', at: new Date() };
      await bare.insertOne(row);
      delays.push(performance.now() - began);
    }
  };
  await atOnce(connections, one);
  return delays;
}
