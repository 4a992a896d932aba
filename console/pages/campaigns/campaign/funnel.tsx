import type { CampaignAnalytics } from '../../../../client/index.ts';
import { Funnel } from '../../../parts/data/bars.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { can } from '../../../session.ts';
import type { Asked } from '../../lists/from-campaign.ts';
import type { Known } from './figures.ts';
import { hrefOf, segmentOf } from './people/door.tsx';
import { isOver } from './words.tsx';

export function CampaignFunnel({ known }: { known: Known }) {
  return (
    <Section title="Funnel" span={5} aside={<span class="dim small">people, per cent of the line above</span>}>
      <Loaded query={known.analytics}>{(analytics) => <Funnel lines={linesOf(analytics)} />}</Loaded>
    </Section>
  );
}

/** Only those who may make one see where it begins. */
function segment(campaignId: string, did: Asked) {
  const href = can('contactLists.create') ? segmentOf(campaignId, did) : null;
  return { work: href ? { href, label: 'Make a segment of these' } : null };
}

function linesOf({ campaignId, counts, tracking, status }: CampaignAnalytics) {
  const { totalContacts, suppressed, sent, delivered, opened, humanOpened, clicked } = counts;
  return [
    { label: 'Audience', value: totalContacts, href: hrefOf({}), fill: 'line' as const },
    { label: 'May be mailed', value: totalContacts - suppressed, href: hrefOf({}), fill: 'line' as const },
    {
      label: isOver(status) ? 'Sent' : 'Sent so far',
      value: sent,
      href: hrefOf({ did: 'sent' }),
    },
    { label: 'Delivered', value: delivered, href: hrefOf({ status: 'sent' }), ...segment(campaignId, 'delivered') },
    ...(tracking.open
      ? [
          { label: 'Opened', value: opened, href: hrefOf({ did: 'opened' }), ...segment(campaignId, 'opened') },
          {
            label: 'By a person',
            value: humanOpened,
            href: hrefOf({ did: 'humanOpened' }),
            of: opened,
            ...segment(campaignId, 'humanOpened'),
          },
        ]
      : []),
    ...(tracking.click
      ? [
          {
            label: 'Clicked',
            value: clicked,
            href: hrefOf({ did: 'clicked' }),
            ...segment(campaignId, 'clicked'),
            ...(tracking.open ? { of: opened } : {}),
          },
        ]
      : []),
  ];
}
