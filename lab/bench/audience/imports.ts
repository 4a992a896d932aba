import { request } from 'node:http';
import { Readable } from 'node:stream';
import { ObjectId } from 'mongodb';
import { indexes } from '../../../platform/mongo/indexes.ts';
import { until } from '../../../test/support/wait.ts';
import { usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { say } from '../run.ts';
import { LISTS, properties, type Stage } from './stage.ts';

const ROWS_A_PIECE = 1_000;

/**
 * A file of all contacts, from its first row to its last, compared with bare upserts of the same rows in MongoDB. Both become slower
 * as the collection grows, so fewer bare rows than rows are a ceiling that is too high, not too low.
 */
export async function measureImport(stage: Stage, bareRows: number): Promise<Figure[]> {
  const bare = await bareUpserts(stage, bareRows);
  const { importId, seconds } = await upload(stage);
  say(`uploaded in ${seconds.toFixed(1)} s`);
  const { rate, residentMb } = await watchImport(stage, importId);
  const { contacts } = stage;
  const highest = Math.max(...residentMb);
  return [
    figure(`import of ${contacts} rows into ${LISTS} lists with 3 segments`, '/s', [rate], {
      ceiling: { name: `bare unordered bulkWrite of ${bareRows} of the same upserts, same indexes`, values: [bare] },
      asked: { of: 'ratio', atLeast: 0.4 },
    }),
    figure('memory of the worker during the import (resident; highest of a look every 200 ms)', 'MB', [highest], {
      asked: { atMost: 300 },
      note: `at each tenth of the file: ${tenths(residentMb).join(', ')}`,
    }),
  ];
}

async function bareUpserts({ drill, personOf }: Stage, rows: number): Promise<number> {
  const { deps, project } = drill;
  const bare = deps.mongo.db(deps.config.mongodbDatabase).collection('bare');
  const same = indexes.filter(({ on }) => on === 'contacts');
  await bare.createIndexes(same.map(({ name, key, options }) => ({ name, key, ...options })));
  const projectId = project._id;
  const begun = performance.now();
  for (let from = 0; from < rows; from += ROWS_A_PIECE) {
    const now = new Date();
    const operations = Array.from({ length: Math.min(ROWS_A_PIECE, rows - from) }, (_, offset) => {
      const { email, firstName, lastName, values, listId } = personOf(from + offset);
      const contactProperties = Object.fromEntries(properties.map((name, column) => [name, values[column]]));
      const set = { firstName, lastName, userId: null, mobile: null, contactProperties, updatedAt: now };
      const update = {
        $set: { ...set, listIds: [new ObjectId(listId)], segmentIds: [] },
        $setOnInsert: { createdAt: now },
      };
      return { updateOne: { filter: { projectId, email }, update, upsert: true } };
    });
    await bare.bulkWrite(operations, { ordered: false });
  }
  const rate = (rows / (performance.now() - begun)) * 1_000;
  await bare.drop();
  say(`bare unordered bulkWrite of ${rows} upserts: ${Math.round(rate)}/s`);
  return rate;
}

async function upload({ drill, url, contacts, personOf }: Stage): Promise<{ importId: string; seconds: number }> {
  const begun = performance.now();
  async function* file() {
    yield `email,firstName,lastName,listIds,${properties.join(',')}\n`;
    for (let from = 0; from < contacts; from += ROWS_A_PIECE) {
      const lines = Array.from({ length: Math.min(ROWS_A_PIECE, contacts - from) }, (_, offset) => {
        const { email, firstName, lastName, listId, values } = personOf(from + offset);
        return `${email},${firstName},${lastName},${listId},${values.join(',')}\n`;
      });
      yield lines.join('');
    }
  }
  const importId = await new Promise<string>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${drill.key}`, 'Content-Type': 'text/csv' };
    const call = request(`${url}/contacts/import`, { method: 'POST', headers }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      const answer = JSON.parse(text);
      if (answer.success) resolve(answer.data.importId);
      else reject(new Error(text));
    });
    call.on('error', reject);
    Readable.from(file()).pipe(call);
  });
  return { importId, seconds: (performance.now() - begun) / 1_000 };
}

async function watchImport({ client, worker, contacts }: Stage, importId: string) {
  const residentMb: number[] = [];
  const ask = async () => {
    residentMb.push(usageOf(worker.pid).residentMb);
    return (await client.get(`/contacts/imports/${importId}`)).body.data;
  };
  const first = await until(ask, ({ processed }) => processed > 0, { ms: 120_000, everyMs: 20 });
  const begun = performance.now();
  const done = await until(ask, ({ status }) => /^(completed|failed)/.test(status), { ms: 3_600_000, everyMs: 200 });
  const { status, created, failed, failureReason } = done;
  if (status !== 'completed' || created !== contacts)
    throw new Error(`the import ended as ${JSON.stringify({ status, created, failed, failureReason })}`);
  return { rate: ((contacts - first.processed) / (performance.now() - begun)) * 1_000, residentMb };
}

function tenths(values: number[]): number[] {
  return Array.from({ length: 10 }, (_, index) => values[Math.floor(((index + 0.5) / 10) * values.length)] ?? 0);
}
