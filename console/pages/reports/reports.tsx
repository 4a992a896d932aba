import { useSignal } from '@preact/signals';
import type { ReportsSeriesQuery, Series } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { timezone } from '../../locale.ts';
import { moment } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place } from '../../router.ts';
import { type Asked, askedOf } from './asked.ts';
import { Courses, hasMail, Sums } from './figures.tsx';
import { Filters } from './filters.tsx';
import { Points } from './points.tsx';
import { Providers } from './providers.tsx';
import { Reputation } from './reputation.tsx';

/** Mail over time, of the project or a part of it; by mailbox provider; and what providers may think of the sender. */
export default function Reports() {
  const { query } = place.value;
  const asked = askedOf(query, new Date());
  const again = useSignal(0);
  const isChoosing = asked.dimension !== '' && asked.value === '';
  const series = useQuery(
    async (signal) => (isChoosing ? null : await api.reports.series(seriesQuery(asked), { signal })),
    [query.toString(), again.value],
  );
  const known = isChoosing ? null : series.data.value;
  return (
    <Page
      title="Reports"
      note={`Days of ${timezone}; counts are some seconds late`}
      actions={
        <Button
          icon="refresh"
          onClick={() => {
            again.value += 1;
          }}
        >
          Count again
        </Button>
      }
    >
      <Filters asked={asked} />
      {isChoosing ? (
        <Empty title="Choose which one">Its mail is shown by hour or by day.</Empty>
      ) : (
        <Loaded query={series}>{(found) => found && <Counted series={found} from={asked.from} />}</Loaded>
      )}
      {!isChoosing && <Providers asked={asked} again={again.value} />}
      <Reputation series={known && hasMail(known.points) ? known : null} again={again.value} />
    </Page>
  );
}

function seriesQuery({ dimension, value, interval, from, to }: Asked): ReportsSeriesQuery {
  return {
    ...{ interval, timezone, from: from.toISOString(), to: to.toISOString() },
    ...(dimension && { [dimension]: value }),
  };
}

function Counted({ series, from }: { series: Series; from: Date }) {
  if (!hasMail(series.points))
    return (
      <Empty title="No mail is counted in this time">
        Choose a longer time or other mail. Mail is counted some seconds after it was accepted.
      </Empty>
    );
  return (
    <>
      <Sums points={series.points} />
      {new Date(series.since) > from && (
        <p class="dim small">Everything is counted since {moment(series.since)}; before it, figures may be too low.</p>
      )}
      <Courses series={series} />
      <Points series={series} />
    </>
  );
}
