import { useMemo } from 'preact/hooks';
import { api } from '../../api.ts';
import { timezone } from '../../locale.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';
import { Courses, hasMail, Sums } from '../reports/figures.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;

/** The mails of the last days: how they ended, and what people did with them. */
export function Mails({ automationId }: { automationId: string }) {
  const from = useMemo(() => new Date(Date.now() - DAYS * DAY_MS).toISOString(), []);
  const series = useQuery(
    (signal) => api.reports.series({ automationId, interval: 'day', timezone, from }, { signal }),
    [automationId],
  );
  return (
    <Loaded query={series}>
      {(found) =>
        hasMail(found.points) ? (
          <>
            <div class="row wrap">
              <p class="dim small grow">The last {DAYS} days; counts are some seconds late.</p>
              <Button isSmall icon="report" href={to('/reports', { of: 'automationId', value: automationId })}>
                Report
              </Button>
            </div>
            <Sums points={found.points} />
            <Courses series={found} />
          </>
        ) : (
          <Empty title={`No mail in the last ${DAYS} days`}>Mail is counted some seconds after it was accepted.</Empty>
        )
      }
    </Loaded>
  );
}
