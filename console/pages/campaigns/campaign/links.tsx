import { useComputed } from '@preact/signals';
import type { CampaignLink, CampaignLinks } from '../../../../client/index.ts';
import { Bar } from '../../../parts/data/bars.tsx';
import { count, day, percent } from '../../../parts/data/format.ts';
import { type Column, Table } from '../../../parts/data/table.tsx';
import { LoadedTable } from '../../../parts/page/loaded.tsx';
import { Empty } from '../../../parts/page/notice.tsx';
import { Section } from '../../../parts/page/page.tsx';
import type { Query } from '../../../parts/page/query.ts';
import type { Known } from './figures.ts';
import { Door } from './people/door.tsx';

/** Each link of the content, with those who clicked it. */
export function Links({ links, known }: { links: Query<CampaignLinks>; known: Known }) {
  const { value: delivered } = useComputed(() => known.analytics.data.value?.counts.delivered ?? 0);
  const data = links.data.value;
  const most = Math.max(1, ...(data?.links ?? []).map(({ people }) => people));
  const columns: readonly Column<CampaignLink>[] = [
    {
      key: 'url',
      head: 'Link',
      cell: ({ url }) => <span title={url}>{url}</span>,
      isMain: true,
      isCut: true,
    },
    {
      key: 'bar',
      head: 'Clicked by a person',
      isWide: true,
      phone: 'hide',
      cell: ({ humanPeople, people }) => (
        <Bar
          all={most}
          parts={[
            { label: 'people', value: humanPeople, fill: 'accent' },
            { label: 'machines', value: people - humanPeople, fill: 'line' },
          ]}
        />
      ),
    },
    { key: 'human', head: 'Persons', cell: ({ humanPeople }) => count(humanPeople), isNum: true },
    {
      key: 'people',
      head: 'With machines',
      isNum: true,
      cell: ({ position, url, people }) =>
        people > 0 ? (
          <Door view={{ did: 'clicked', link: String(position ?? url) }}>{count(people)}</Door>
        ) : (
          count(people)
        ),
    },
    { key: 'clicks', head: 'Clicks', cell: ({ clicks }) => count(clicks), isNum: true },
    {
      key: 'part',
      head: 'Of delivered',
      cell: ({ people }) => percent(people, delivered, 2),
      isNum: true,
      isDim: true,
    },
  ];
  const other = data?.other;
  return (
    <Section title="Links" hasRule note={data && `counted since ${day(data.since)}`}>
      <LoadedTable query={links}>
        <Table
          label="Links of the mail"
          columns={columns}
          rows={data?.links ?? null}
          keyOf={({ position, url }) => `${position} ${url}`}
          skeletonRows={3}
          empty={
            <Empty title="No link was clicked so far">The links of the content appear here with their clicks.</Empty>
          }
        />
      </LoadedTable>
      {other && other.clicks > 0 && (
        <p class="dim small">
          {count(other.clicks)} more clicks on links that are not listed one by one, in {count(other.people)} mails.
        </p>
      )}
    </Section>
  );
}
