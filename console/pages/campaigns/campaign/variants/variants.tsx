import { useComputed } from '@preact/signals';
import type { Campaign, CampaignVariants } from '../../../../../client/index.ts';
import { api } from '../../../../api.ts';
import { people } from '../../../../parts/data/format.ts';
import { confirm } from '../../../../parts/over/confirm.tsx';
import { toast } from '../../../../parts/over/toast.tsx';
import { Loaded } from '../../../../parts/page/loaded.tsx';
import { Notice } from '../../../../parts/page/notice.tsx';
import { Section } from '../../../../parts/page/page.tsx';
import { type Query, useQuery } from '../../../../parts/page/query.ts';
import type { Known } from '../figures.ts';
import { isOver } from '../words.tsx';
import { VariantCard } from './card.tsx';
import { isOpen, leadWords, metricWords, scaleOf, stateWords } from './words.ts';

/** The mails of the campaign side by side, and the decision between them. */
export function Variants({ campaign, known }: { campaign: Campaign; known: Known }) {
  const { value: state } = useComputed(() => {
    const { test } = known.progress.data.value ?? {};
    return `${test?.state} ${test?.winner?.variantId}`;
  });
  const hasSome = campaign.variants.length > 0;
  const query = useQuery(
    (signal) => api.campaigns.variants(campaign.id, { signal }),
    [campaign.id, campaign.updatedAt, campaign.status, known.moves.value, state],
  );
  return (
    <Section
      title={hasSome ? 'Mails side by side' : 'People without a mail'}
      hasRule
      note={hasSome && 'acts of machines are not counted; some seconds late'}
    >
      <Loaded query={query} skeleton={<div class="mail-waiting" />}>
        {(data) => (
          <>
            {hasSome && <SideBySide {...{ campaign, data, query }} />}
            {campaign.holdOutShare > 0 && (
              <p class="sub">
                Left without a mail: <b data-testid="hold-out">{people(data.holdOut)}</b>, {campaign.holdOutShare} per
                cent of the audience. They are in no other figure.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function SideBySide({
  campaign,
  data,
  query,
}: {
  campaign: Campaign;
  data: CampaignVariants;
  query: Query<CampaignVariants>;
}) {
  const { variants, test, metric } = data;
  const hasEnded = isOver(campaign.status);
  const said = campaign.test && stateWords(test, campaign.test, hasEnded);
  const isHeld = test?.state === 'held' && !hasEnded;
  const most = scaleOf(data);
  const canChoose = isOpen(test) && !hasEnded;
  const choose = async (id: CampaignVariants['variants'][number]['id']) => {
    const done = await confirm({
      title: `Send mail ${id} to the others`,
      text: `Everybody who waits gets mail ${id}. ${leadWords(data)} It cannot be changed after that.`,
      action: `Choose ${id}`,
      run: async () => {
        query.data.value = await api.campaigns.winner(campaign.id, { variantId: id });
      },
    });
    if (done) toast(`The others get mail ${id}`, { kind: 'good' });
  };
  return (
    <>
      {isHeld && (
        <Notice kind="warn" title="The test waits for you">
          The figures did not decide. The others get nothing until you choose a mail.
        </Notice>
      )}
      <p data-testid="variants-decision">
        {leadWords(data)} {!isHeld && said}
      </p>
      <ol class="variants">
        {variants.map((variant) => (
          <VariantCard
            key={variant.id}
            {...{ campaign, variant, most }}
            goal={metricWords(metric)}
            isWinner={test?.winner?.variantId === variant.id}
            onChoose={canChoose ? () => choose(variant.id) : null}
          />
        ))}
      </ol>
    </>
  );
}
