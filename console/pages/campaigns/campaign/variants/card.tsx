import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Campaign, CampaignVariantFigures } from '../../../../../client/index.ts';
import { api } from '../../../../api.ts';
import { Pairs } from '../../../../parts/data/details.tsx';
import { count, percent } from '../../../../parts/data/format.ts';
import { Badge } from '../../../../parts/data/state.tsx';
import { Button } from '../../../../parts/forms/button.tsx';
import { MailFrame } from '../../../../parts/mail/mail-preview.tsx';
import { LoadFailure } from '../../../../parts/page/loaded.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { CampaignTest } from '../../test-mail.tsx';
import { chance } from './words.ts';

/** One mail as it is in an inbox, its figures, and the mail itself. */
export function VariantCard({
  campaign,
  variant,
  most,
  goal,
  isWinner,
  onChoose,
}: {
  campaign: Campaign;
  variant: CampaignVariantFigures;
  /** The rate at the right end of the bars. */
  most: number;
  goal: string;
  isWinner: boolean;
  /** null: there is nothing to choose. */
  onChoose: (() => unknown) | null;
}) {
  const headingId = useId();
  const isTesting = useSignal(false);
  const { id, total, sent, rate, interval, probabilityBest } = variant;
  const { humanOpens, humanClicks, unsubscribes, bounces } = variant;
  const subject = variant.subject ?? campaign.subject;
  const previewText = variant.previewText ?? campaign.previewText;
  const from = variant.from?.name || campaign.from.name || variant.from?.email || campaign.from.email;
  const range = `${percent(interval.from, 100)} and ${percent(interval.to, 100)}`;
  return (
    <li class="variant stack" aria-labelledby={headingId}>
      <div class="row">
        <h3 id={headingId} class="strong">
          Mail {id}
        </h3>
        {isWinner && <Badge tone="good">Winner</Badge>}
        <span class="grow" />
        <Button
          isSmall
          operation="campaigns.test"
          label={`Send a test of mail ${id}`}
          onClick={() => {
            isTesting.value = true;
          }}
        >
          Send a test…
        </Button>
        {onChoose && (
          <Button isSmall operation="campaigns.winner" label={`Choose mail ${id}`} onClick={onChoose}>
            Choose…
          </Button>
        )}
      </div>
      <div>
        <p class="sub small cut">{from}</p>
        <p class="strong">{subject}</p>
        {previewText && <p class="dim small">{previewText}</p>}
      </div>
      <div class="stack tight">
        <p>
          <b>{sent === 0 ? '–' : percent(rate, 100)}</b> <span class="sub small">{goal}</span>
        </p>
        <Interval
          {...{ variant, most }}
          label={`${id}: the true rate is between ${range} with 95 per cent probability`}
        />
        <p class="dim small">{sent === 0 ? 'No figures yet' : `The true rate is between ${range}`}</p>
      </div>
      <Pairs
        isNum
        pairs={[
          ['Probability of being the best', sent === 0 ? '–' : chance(probabilityBest)],
          ['Sent', total > 0 ? `${count(sent)} of ${count(total)}` : count(sent)],
          ...(campaign.trackingOpen ? ([['Opened', count(humanOpens)]] as const) : []),
          ...(campaign.trackingClick ? ([['Clicked', count(humanClicks)]] as const) : []),
          ['Unsubscribed', count(unsubscribes)],
          ['Bounced', count(bounces)],
        ]}
      />
      <Mail {...{ campaign, variant }} />
      {isTesting.value && (
        <CampaignTest
          campaign={campaign}
          mail={id}
          onClose={() => {
            isTesting.value = false;
          }}
        />
      )}
    </li>
  );
}

/** Where the true rate is, with a mark at the rate that was seen. */
function Interval({
  variant: { sent, rate, interval },
  most,
  label,
}: {
  variant: CampaignVariantFigures;
  most: number;
  label: string;
}) {
  const at = (value: number) => `${Math.min(100, (value / most) * 100).toFixed(2)}%`;
  if (sent === 0) return <svg class="bar interval" aria-hidden="true" />;
  return (
    <svg class="bar interval" role="img" aria-label={label}>
      <rect class="f-soft" x={at(interval.from)} width={at(interval.to - interval.from)} height="100%" />
      <rect class="f-accent" x={at(rate)} width="3" height="100%" />
    </svg>
  );
}

function Mail({ campaign, variant }: { campaign: Campaign; variant: CampaignVariantFigures }) {
  const mail = useQuery(
    (signal) => api.campaigns.preview(campaign.id, { variantId: variant.id }, { signal }),
    [campaign.id, campaign.updatedAt, variant.id],
  );
  if (mail.error.value) return <LoadFailure error={mail.error.value} onRetry={mail.reload} />;
  return (
    <MailFrame
      mail={mail.data.value}
      caption={variant.templateId ? 'Its own template' : 'The mail of the campaign'}
      title={`Preview of mail ${variant.id}`}
    />
  );
}
