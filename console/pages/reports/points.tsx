import { useSignal } from '@preact/signals';
import type { Series, SeriesPoint } from '../../../client/index.ts';
import { count, day, moment } from '../../parts/data/format.ts';
import { Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Section } from '../../parts/page/page.tsx';
import { type Figure, hasMail } from './figures.tsx';

const LIMIT = 31;

const heads: ReadonlyArray<readonly [name: Figure, head: string, isForDesk?: true]> = [
  ['accepted', 'Accepted', true],
  ['sent', 'Sent'],
  ['delivered', 'Delivered'],
  ['opened', 'Opened', true],
  ['humanOpened', 'By people'],
  ['clicked', 'Clicked'],
  ['bounced', 'Bounced'],
  ['deferred', 'Deferred', true],
  ['complained', 'Complaints'],
  ['unsubscribed', 'Unsubscribed'],
];

/** The figures of each hour or day, the newest first. */
export function Points({ series: { points, interval } }: { series: Series }) {
  const page = useSignal(1);
  const rows = points.filter((point) => hasMail([point])).toReversed();
  const pages = Math.ceil(rows.length / LIMIT);
  const current = Math.min(page.value, pages);
  const columns: readonly Column<SeriesPoint>[] = [
    {
      key: 'from',
      head: interval === 'hour' ? 'Hour' : 'Day',
      isMain: true,
      cell: ({ from }) => <time dateTime={from}>{interval === 'hour' ? moment(from) : day(from)}</time>,
    },
    ...heads.map(
      ([name, head, isForDesk]): Column<SeriesPoint> => ({
        key: name,
        head,
        isNum: true,
        isDim: name === 'accepted' || name === 'opened',
        ...(isForDesk ? ({ phone: 'hide' } as const) : {}),
        cell: (point) => (point[name] === 0 ? <span class="dim">0</span> : count(point[name])),
      }),
    ),
  ];
  return (
    <Section title="Figures" hasRule note={`${interval === 'hour' ? 'hours' : 'days'} in which something was counted`}>
      <Table
        label={interval === 'hour' ? 'Figures by hour' : 'Figures by day'}
        columns={columns}
        rows={rows.slice((current - 1) * LIMIT, current * LIMIT)}
        keyOf={({ from }) => from}
      />
      {pages > 1 && (
        <Pager
          pagination={{ page: current, limit: LIMIT, total: rows.length, pages }}
          onPage={(next) => {
            page.value = next;
          }}
        />
      )}
    </Section>
  );
}
