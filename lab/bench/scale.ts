import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCosts } from './scale/costs.ts';
import { type Installation, layout, readInstallation } from './scale/installation.ts';
import { measure } from './scale/measure.ts';
import { writePage } from './scale/page.ts';
import { plot } from './scale/plot.ts';
import { tables } from './scale/tables.ts';

/**
 * A model of an installation: `--machines 10`, or a JSON file that describes it, gives the throughput of each kind of work, what bounds it
 * first, memory, storage and cost, from the figures in lab/results. `--measure` runs the lanes (or those that are named) with 1, 2, 4 and 8
 * processes here, and keeps what one process costs and how far the model is off for several. `--docs` writes the tables of
 * docs/operators/scaling.md and draws its picture.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    machines: { type: 'string' },
    measure: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
    price: { type: 'string' },
    usable: { type: 'string' },
    connections: { type: 'string' },
    'ack-ms': { type: 'string' },
    signs: { type: 'string' },
    processes: { type: 'string', default: '1,2,4,8' },
    apis: { type: 'string', default: '1,2,4' },
    recipients: { type: 'string', default: '50000' },
    backlog: { type: 'string', default: '16000' },
    seconds: { type: 'string', default: '6' },
    people: { type: 'string', default: '200' },
    /** Keeps nothing in lab/results: for trying something out. */
    dry: { type: 'boolean', default: false },
  },
});
const list = (text: string) => text.split(',').map(Number);

if (values.measure) {
  await measure(positionals, {
    ...{ processes: list(values.processes), apis: list(values.apis), recipients: Number(values.recipients) },
    ...{ backlog: Number(values.backlog), seconds: Number(values.seconds), people: Number(values.people) },
    isKept: !values.dry,
  });
  process.exit(0);
}
const costs = readCosts();
if (values.docs) {
  plot(costs);
  writePage(costs);
} else {
  const works = costs.works.map(({ name }) => name);
  for (const line of tables(readInstallation(given(), works), costs)) console.log(line);
}

function given(): Installation {
  const [file] = positionals;
  if (file && !existsSync(file)) throw new Error(`There is no file ${file}.`);
  const base = (file ? JSON.parse(readFileSync(file, 'utf8')) : layout(Number(values.machines ?? 1))) as Installation;
  const relay = {
    ...base.relay,
    ...(values.connections ? { connections: Number(values.connections) } : {}),
    ...(values['ack-ms'] ? { ackMs: Number(values['ack-ms']) } : {}),
    ...(values.signs ? { signs: values.signs === 'relay' } : {}),
  };
  return {
    ...base,
    relay,
    ...(values.price ? { pricePerCoreHour: Number(values.price) } : {}),
    ...(values.usable ? { usable: Number(values.usable) } : {}),
  };
}
