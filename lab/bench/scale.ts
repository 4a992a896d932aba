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
  },
});

if (values.measure) {
  await measure(positionals);
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
  return {
    ...base,
    ...(values.price ? { pricePerCoreHour: Number(values.price) } : {}),
    ...(values.usable ? { usable: Number(values.usable) } : {}),
  };
}
