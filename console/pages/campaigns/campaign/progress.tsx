import type { Campaign, CampaignAnalytics, CampaignProgress } from '../../../../client/index.ts';
import { type Fill, ProgressBar } from '../../../parts/data/bars.tsx';
import { count, people, percent, perSecond } from '../../../parts/data/format.ts';
import { Time } from '../../../parts/data/time.tsx';
import type { Known } from './figures.ts';
import { Door, type View } from './people/door.tsx';
import { clockOrDay, isOver, timeLeft, timeLeftSpoken } from './words.tsx';

interface BarPart {
  label: string;
  value: number;
  fill: Fill;
  view: View;
}

/** The leading figures, the bar by state, and what each colour counts. */
export function Progress({ campaign, known }: { campaign: Campaign; known: Known }) {
  const progress = known.progress.data.value;
  if (!progress) return null;
  const rate = known.now.value?.sent ?? null;
  return (
    <section class="progress" aria-label="Progress">
      <div class="figures">
        <Figures campaign={campaign} progress={progress} rate={rate} analytics={known.analytics.data.value} />
        <span class="grow" />
        <p class="sub">
          {progress.total === 0 ? (
            'The audience is written down when sending starts'
          ) : (
            <>
              <span class="strong" data-testid="sent">
                {count(progress.sent)}
              </span>{' '}
              sent of {count(progress.total)}
            </>
          )}
        </p>
      </div>
      {progress.total > 0 && <States campaign={campaign} progress={progress} rate={rate} />}
    </section>
  );
}

function States({ campaign, progress, rate }: { campaign: Campaign; progress: CampaignProgress; rate: number | null }) {
  const parts = partsOf(progress);
  return (
    <>
      <ProgressBar
        label={campaign.name}
        parts={parts}
        all={progress.total}
        done={progress.total - progress.pending}
        text={spoken(progress, rate)}
      />
      <p class="legend">
        {parts.map(({ label, value, fill, view }) => (
          <Door key={label} view={view}>
            <svg aria-hidden="true">
              <rect class={`f-${fill}`} width="8" height="8" />
            </svg>
            {label} <b>{count(value)}</b>
          </Door>
        ))}
      </p>
    </>
  );
}

/** They add up to the total. */
function partsOf(progress: CampaignProgress): BarPart[] {
  const { sent, bounced, suppressed, failed, unknown, pending, deferred, inFlight = 0 } = progress;
  const worst = bounced > 0 ? 'bounced' : failed > 0 ? 'failed' : 'unknown';
  return [
    { label: 'delivered', value: sent - bounced, fill: 'accent', view: { status: 'sent' } },
    { label: 'in flight', value: inFlight, fill: 'soft', view: { status: 'queued' } },
    { label: 'suppressed', value: suppressed, fill: 'idle', view: { status: 'suppressed' } },
    { label: 'bounced, failed, unknown', value: bounced + failed + unknown, fill: 'bad', view: { status: worst } },
    { label: 'deferred', value: deferred, fill: 'warn', view: { status: 'deferred' } },
    { label: 'queued', value: Math.max(0, pending - deferred - inFlight), fill: 'line', view: { status: 'queued' } },
  ];
}

function Figures({
  campaign,
  progress,
  rate,
  analytics,
}: {
  campaign: Campaign;
  progress: CampaignProgress;
  rate: number | null;
  analytics: CampaignAnalytics | null;
}) {
  const { status, etaSeconds, nextAt, inFlight = 0 } = progress;
  if (isOver(status) && analytics && progress.sent > 0) return <Results progress={progress} analytics={analytics} />;
  const done = (
    <p class="figure">
      {progress.percent.toFixed(1)} <small>%</small>
    </p>
  );
  if (status === 'paused')
    return (
      <>
        {done}
        <p class="figure">
          {count(inFlight)} <small>in flight{inFlight === 0 ? ', nothing leaves' : ''}</small>
        </p>
      </>
    );
  const [number, unit] = perSecond(rate ?? progress.ratePerSecond).split(' / ');
  return (
    <>
      {status !== 'scheduled' && done}
      {status !== 'scheduled' && (
        <p class="figure" data-testid="rate">
          {number} <small>/ {unit}</small>
        </p>
      )}
      {etaSeconds !== null && (
        <p class="figure" data-testid="left">
          {timeLeft(etaSeconds)} <small>left, done about {clockOrDay(new Date(Date.now() + etaSeconds * 1_000))}</small>
        </p>
      )}
      {nextAt !== null && (
        <p class="figure">
          {clockOrDay(new Date(nextAt))}{' '}
          <small>
            {status === 'scheduled' ? 'start' : 'next mail'}
            {campaign.gradual && campaign.gradual.day > 0 && `, day ${campaign.gradual.day} of the plan`}
          </small>
        </p>
      )}
    </>
  );
}

function Results({ progress, analytics }: { progress: CampaignProgress; analytics: CampaignAnalytics }) {
  const { delivered, opened, clicked } = analytics.counts;
  const [sent, open, click] = [
    percent(delivered, progress.sent),
    percent(opened, delivered),
    percent(clicked, delivered),
  ].map((text) => text.replace(' %', ''));
  return (
    <>
      <p class="figure">
        {sent} <small>% delivered</small>
      </p>
      {analytics.tracking.open && (
        <p class="figure">
          {open} <small>% opened</small>
        </p>
      )}
      {analytics.tracking.click && (
        <p class="figure">
          {click} <small>% clicked</small>
        </p>
      )}
      {analytics.sentAt && (
        <p class="sub">
          Ended <Time at={analytics.sentAt} />
        </p>
      )}
    </>
  );
}

function spoken({ percent: done, etaSeconds, status, ratePerSecond, total }: CampaignProgress, rate: number | null) {
  const left = etaSeconds === null ? '' : `, ${timeLeftSpoken(etaSeconds)} left`;
  if (status === 'paused') return `Paused at ${done.toFixed(1)} per cent of ${people(total)}`;
  if (isOver(status)) return `Ended at ${done.toFixed(1)} per cent of ${people(total)}`;
  return `${done.toFixed(1)} per cent, ${count(rate ?? ratePerSecond)} a second${left}`;
}
