import type { Campaign, CampaignLinks } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Pairs } from '../../../parts/data/details.tsx';
import { MailPreview } from '../../../parts/mail/mail-preview.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { type Query, useQuery } from '../../../parts/page/query.ts';

/** As high as the mail, so that nothing moves when it comes. */
const waiting = <div class="mail-waiting" />;

/** The mail as it is sent, with the clicks on its links. */
export function CampaignMail({ campaign, links }: { campaign: Campaign; links: Query<CampaignLinks> | null }) {
  return (
    <Section title="The mail" hasRule note={links ? 'people who clicked, behind each link' : null}>
      {links ? (
        <Loaded query={links} skeleton={waiting}>
          {(data) => <Drawn campaign={campaign} clicks={keyOf(data)} />}
        </Loaded>
      ) : (
        <Drawn campaign={campaign} clicks={null} />
      )}
    </Section>
  );
}

/** Drawn again when a figure in it moves. */
function Drawn({ campaign: { id, updatedAt }, clicks }: { campaign: Campaign; clicks: string | null }) {
  const mail = useQuery(
    (signal) => api.campaigns.preview(id, { clicks: clicks !== null }, { signal }),
    [id, updatedAt, clicks],
  );
  return (
    <Loaded query={mail} skeleton={waiting}>
      {(shown) => (
        <>
          <MailPreview mail={shown} isOld={false} />
          <Headers headers={Object.entries(shown.headers ?? {})} />
        </>
      )}
    </Loaded>
  );
}

function Headers({ headers }: { headers: [name: string, value: string][] }) {
  if (headers.length === 0) return null;
  return (
    <section class="stack tight">
      <h3>Headers</h3>
      <Pairs pairs={headers} />
    </section>
  );
}

function keyOf({ links }: CampaignLinks): string {
  return links.map(({ position, people }) => `${position} ${people}`).join();
}
