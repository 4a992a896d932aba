import { type Figure, figure } from '../../rig/results/report.ts';
import { memory, ofBlast, perSecond, tell } from './figures.ts';
import { addPeople, openInstallation } from './installation.ts';
import { KINDS, type Measured, measureCampaign } from './measure.ts';
import type { Size } from './size.ts';

const MILLION = 1_000_000;

/** Each size on an installation of its own, so that memory is that of the size. lab/rig/results/plot.ts draws them. */
export async function sizes({ sizes: asked, shared }: Size): Promise<Figure[]> {
  const found: Measured[] = [];
  for (const size of asked) {
    const installation = await openInstallation({ ...shared, mail: false });
    const listId = await addPeople(installation.drill, size);
    found.push(tell(await measureCampaign(installation, { listId, recipients: size })));
    await installation.close();
  }
  const costs = found.map(({ sendingSeconds, recipients: size }) => (sendingSeconds * 1e6) / size);
  const growth = ((costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN) - 1) * 100;
  const [least, most] = [found[0]?.recipients, found.at(-1)?.recipients].map((size) => size?.toLocaleString('en-US'));
  return [
    ...found.flatMap((one) => ofSize(one)),
    figure(`Growth of the cost of a recipient from ${least} to ${most}`, '%', [growth], {
      asked: { atMost: 15, aim: 0 },
    }),
  ];
}

function ofSize(measured: Measured): Figure[] {
  const { recipients, sendingSeconds, freezeSeconds, history, micros } = measured;
  const many = recipients.toLocaleString('en-US');
  const ceiling = ofBlast([measured]);
  const whole = perSecond([measured]);
  return [
    figure(`A campaign of ${many}, from the POST to the last 250`, '/s', whole, { ceiling }),
    figure(`A campaign of ${many}, while sending`, '/s', [recipients / sendingSeconds], { ceiling }),
    figure(`A campaign of ${many}, freeze`, 's', [freezeSeconds], {
      ...(recipients === MILLION ? { asked: { atMost: 20, aim: 12 } } : {}),
    }),
    ...KINDS.map((kind) => figure(`A campaign of ${many}, CPU of ${kind} for each recipient`, 'us', [micros[kind]])),
    figure(`A campaign of ${many}, events in its history`, '', [history], { asked: { atMost: 200 } }),
    ...memory([measured]).map((figure) => ({ ...figure, name: `A campaign of ${many}, ${figure.name.toLowerCase()}` })),
  ];
}
