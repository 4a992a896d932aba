import { api } from '../../../../api.ts';
import { Button } from '../../../../parts/forms/button.tsx';
import { Choose } from '../../../../parts/forms/choices.tsx';
import { save } from '../../../../parts/forms/download.ts';
import { Section } from '../../../../parts/page/page.tsx';
import { setQuery } from '../../../../router.ts';
import { ByAct } from './by-act.tsx';
import { ByState } from './by-state.tsx';
import { currentView, PEOPLE_ID, segmentOf, type View } from './door.tsx';
import { type Facts, linkQuery } from './facts.tsx';

const ended = ['bounced', 'failed', 'suppressed', 'unknown'] as const;

/** All of them, by the state of their mail or by what they did. */
export function People(facts: Facts) {
  const view = currentView();
  const isByAct = view.did !== undefined;
  const segment = view.link ? null : segmentOf(facts.campaignId, view.did);
  return (
    <Section
      id={PEOPLE_ID}
      title="Recipients"
      hasRule
      aside={
        <>
          {segment && (
            <Button isSmall kind="plain" icon="segment" operation="contactLists.create" href={segment}>
              Make a segment of these
            </Button>
          )}
          <DownloadPeople {...facts} view={view} />
          <Choose
            label="Recipients by"
            value={isByAct ? 'act' : 'state'}
            options={[
              { value: 'state', label: 'By state' },
              { value: 'act', label: 'By what they did' },
            ]}
            onChange={(value) => choose(value === 'act' ? { did: 'opened' } : {})}
          />
        </>
      }
    >
      {isByAct ? <ByAct {...facts} view={view} /> : <ByState {...facts} view={view} />}
    </Section>
  );
}

function choose(view: View): void {
  setQuery({
    status: view.status ?? null,
    did: view.did ?? null,
    reason: null,
    link: null,
    page: null,
    person: null,
  });
}

/** Of a state: as far as it is over for these people. Of a reason there is no file. */
function DownloadPeople({ campaignId, name, view }: Facts & { view: View }) {
  const did = view.did ?? ended.find((state) => state === view.status);
  if (!did || view.reason) return null;
  const query = { did, format: 'csv' as const, ...linkQuery(view.link) };
  return (
    <Button
      isSmall
      kind="plain"
      icon="download"
      operation="campaigns.exportPeople"
      onClick={() => save(api.campaigns.exportPeople(campaignId, query), `${name} ${did}.csv`)}
    >
      Download as CSV
    </Button>
  );
}
