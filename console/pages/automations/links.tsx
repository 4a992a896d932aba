import type { Automation, AutomationLink } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { count } from '../../parts/data/format.ts';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { nameOf } from './graph/flow.ts';
import type { Names } from './names.ts';

/** The links of all mails with their clicks. */
export function Links({ automation, names }: { automation: Automation; names: Names }) {
  const links = useQuery((signal) => api.automations.links(automation.id, { signal }), [automation.id]);
  const stepName = (id: string) => {
    const step = automation.steps.find(({ stepId }) => stepId === id);
    return step ? nameOf(step, names.templates) : 'a step that was removed';
  };
  const columns: readonly Column<AutomationLink>[] = [
    { key: 'url', head: 'Link', isMain: true, isCut: true, cell: ({ url }) => <span title={url}>{url}</span> },
    {
      key: 'step',
      head: 'Mail',
      isCut: true,
      cell: ({ stepId, isCurrent }) => (
        <>
          {stepName(stepId)}
          {!isCurrent && <span class="dim"> earlier content</span>}
        </>
      ),
    },
    { key: 'people', head: 'Clicked by people', isNum: true, cell: ({ humanPeople }) => count(humanPeople) },
    { key: 'all', head: 'With machines', isNum: true, isDim: true, cell: ({ people }) => count(people) },
    { key: 'clicks', head: 'Clicks', isNum: true, isDim: true, cell: ({ clicks }) => count(clicks) },
  ];
  return (
    <Loaded query={links}>
      {(found) => (
        <div class="stack">
          <p class="dim small">
            Mails in which a link was clicked, since <Time at={found.since} />.
          </p>
          <Table
            label="Links"
            columns={columns}
            rows={found.links}
            keyOf={({ stepId, position, url }) => `${stepId} ${position} ${url}`}
            empty={
              <Empty title="The mails have no links">Links of templates are counted from the first mail on.</Empty>
            }
          />
        </div>
      )}
    </Loaded>
  );
}
