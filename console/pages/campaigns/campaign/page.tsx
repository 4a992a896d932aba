import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Campaign } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Pairs } from '../../../parts/data/details.tsx';
import { count, counted } from '../../../parts/data/format.ts';
import { Time } from '../../../parts/data/time.tsx';
import { Button } from '../../../parts/forms/button.tsx';
import { Tags } from '../../../parts/mail/tags.tsx';
import { LoadFailure } from '../../../parts/page/loaded.tsx';
import { NextSteps } from '../../../parts/page/next-steps.tsx';
import { Empty, Notice, SkeletonLines } from '../../../parts/page/notice.tsx';
import { Columns, Page, Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { place, to } from '../../../router.ts';
import { localWords } from '../editor/local.ts';
import { editPath } from './actions.ts';
import { type Known, useCampaign } from './figures.ts';
import { CampaignFunnel } from './funnel.tsx';
import { Actions } from './head.tsx';
import { HoursPlots, useDays } from './hour-plots.tsx';
import { LeftOut } from './left-out.tsx';
import { Links } from './links.tsx';
import { isRecent, LivePlots } from './live-plots.tsx';
import { CampaignMail } from './mail.tsx';
import { hrefOf as peopleHref, useFollowDoors } from './people/door.tsx';
import { People } from './people/people.tsx';
import { Story } from './people/story.tsx';
import { GradualPlan } from './plans/gradual.tsx';
import { PlannedZones, Zones } from './plans/zones.tsx';
import { Progress } from './progress.tsx';
import { Providers } from './providers.tsx';
import { Variants } from './variants/variants.tsx';
import { audienceWords, StatusBadge } from './words.tsx';

const crumb = { label: 'Campaigns', path: '/campaigns' } as const;

/** One campaign: while it is sending it moves by the stream alone. */
export default function CampaignPage({ params }: { params: Record<string, string> }) {
  const known = useCampaign(params.campaignId ?? '');
  const campaign = known.campaign.data.value;
  const failure = known.campaign.error.value ?? known.progress.error.value;
  const isLoaded = useComputed(() => known.progress.data.value !== null);
  if (!campaign || !isLoaded.value)
    return (
      <Page title={campaign?.name ?? 'Campaign'} crumb={crumb}>
        {failure === null ? (
          <div aria-busy="true">
            <SkeletonLines count={6} />
          </div>
        ) : (
          <LoadFailure error={failure} onRetry={() => [known.campaign.reload(), known.progress.reload()]} />
        )}
      </Page>
    );
  const person = place.value.query.get('person');
  return (
    <Page
      title={campaign.name}
      crumb={crumb}
      state={<StatusBadge status={campaign.status} />}
      isFlush
      actions={<Actions campaign={campaign} known={known} />}
    >
      <div class={person ? 'split open' : 'split'}>
        <div class="body">
          {campaign.status === 'draft' ? (
            <Draft campaign={campaign} known={known} />
          ) : (
            <Work campaign={campaign} known={known} />
          )}
        </div>
        {person && <Story key={person} campaignId={campaign.id} contactId={person} />}
      </div>
    </Page>
  );
}

/**
 * Parts that move read their figures by themselves, so that the tables are not drawn with every event. All of them are there from the
 * first mail on: nothing moves when it ends.
 */
function Work({ campaign, known }: { campaign: Campaign; known: Known }) {
  const moves = known.moves.value;
  const hasBegun = known.hasBegun.value;
  const reasons = useQuery(
    (signal) => api.campaigns.reasons(campaign.id, { signal }),
    [campaign.id, moves, hasBegun, campaign.status],
  );
  const days = useDays(campaign, moves);
  // Once the plots of the last minutes are there they stay, while the figures of the end arrive one after the other.
  const shownFor = useRef<string | null>(null);
  const isMoving = useComputed(() => {
    if (isRecent(known)) shownFor.current = campaign.id;
    return shownFor.current === campaign.id;
  });
  useFollowDoors();
  return (
    <>
      <Troubles campaign={campaign} known={known} />
      <Progress campaign={campaign} known={known} />
      {hasBegun && (
        <NextSteps
          steps={[
            { label: 'Who opened it', href: peopleHref({ did: 'opened' }) },
            { label: 'Who clicked', href: peopleHref({ did: 'clicked' }) },
            { label: 'Compare in Reports', href: to('/reports') },
          ]}
        />
      )}
      {hasBegun ? (
        <>
          {isMoving.value && <LivePlots campaign={campaign} known={known} />}
          <SeveralMails campaign={campaign} known={known} />
          {campaign.localTime && <Zones campaign={campaign} localTime={campaign.localTime} known={known} />}
          {campaign.gradual && <GradualPlan plan={campaign.gradual} known={known} days={days} />}
          <HoursPlots campaign={campaign} known={known} days={days} />
          <Columns hasRule>
            <CampaignFunnel known={known} />
            <LeftOut known={known} reasons={reasons} />
          </Columns>
          <Providers campaign={campaign} known={known} />
          {campaign.trackingClick ? (
            <LinksAndMail campaign={campaign} known={known} />
          ) : (
            <CampaignMail campaign={campaign} links={null} />
          )}
        </>
      ) : (
        <>
          {campaign.localTime && campaign.status === 'scheduled' && (
            <PlannedZones campaign={campaign} localTime={campaign.localTime} />
          )}
          <Settings campaign={campaign} />
          <SeveralMails campaign={campaign} known={known} />
          <CampaignMail campaign={campaign} links={null} />
        </>
      )}
      {hasBegun && (
        <>
          <People campaignId={campaign.id} name={campaign.name} known={known} reasons={reasons} />
          <Settings campaign={campaign} />
        </>
      )}
    </>
  );
}

/** Where there are any, or people are left without one. */
function SeveralMails(props: { campaign: Campaign; known: Known }) {
  const { variants, holdOutShare } = props.campaign;
  return variants.length > 0 || holdOutShare > 0 ? <Variants {...props} /> : null;
}

function LinksAndMail({ campaign, known }: { campaign: Campaign; known: Known }) {
  const { id } = campaign;
  const links = useQuery((signal) => api.campaigns.links(id, { signal }), [id, known.moves.value]);
  return (
    <>
      <Links links={links} known={known} />
      <CampaignMail campaign={campaign} links={links} />
    </>
  );
}

/** The reasons why it waits, or failed, each with its sentence. */
function Troubles({ campaign, known }: { campaign: Campaign; known: Known }) {
  const progress = known.progress.data.value;
  if (!progress) return null;
  const { status, pausedReason, pausedAt, failureReason } = campaign;
  const { relayNotAnsweringSince, waitingFor, pending, inFlight = 0 } = progress;
  return (
    <>
      {status === 'failed' && failureReason && (
        <Notice kind="bad" title="It failed">
          {failureReason}
        </Notice>
      )}
      {status === 'paused' && (
        <Notice
          kind="warn"
          title={
            progress.status !== 'paused'
              ? 'Paused: what is in flight ends'
              : inFlight === 0
                ? 'Paused: nothing is in flight'
                : `Paused: ${count(inFlight)} in flight`
          }
        >
          {pausedReason && sentence(pausedReason)}{' '}
          {pausedAt && (
            <>
              Since <Time at={pausedAt} />.
            </>
          )}{' '}
          {counted(pending, 'person waits', 'people wait')}.
        </Notice>
      )}
      {relayNotAnsweringSince && (
        <Notice kind="bad" title="The relay does not answer">
          No mail can be handed over since <Time at={relayNotAnsweringSince} />. Nobody is counted as failed for it; the
          campaign goes on by itself.
        </Notice>
      )}
      {waitingFor.map(({ id, name, processed, total }) => (
        <Notice key={id} title={`The segment ${name} is being computed`}>
          {count(processed)} of {count(total)} contacts are done. The campaign starts by itself after that.
        </Notice>
      ))}
    </>
  );
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function Draft({ campaign, known }: { campaign: Campaign; known: Known }) {
  return (
    <>
      <Empty
        title="It is a draft, and goes to nobody yet"
        action={
          <Button icon="edit" href={editPath(campaign.id)}>
            Edit
          </Button>
        }
      >
        Choose whom it goes to and when, look at the mail, and publish it. Its figures appear here when it is sent.
      </Empty>
      <SeveralMails campaign={campaign} known={known} />
      <Settings campaign={campaign} />
    </>
  );
}

function Settings({ campaign }: { campaign: Campaign }) {
  const { subject, from, replyTo, excludeLists, sendMode, scheduledAt, createdAt, updatedAt, thresholdPreset, tags } =
    campaign;
  const { localTime } = campaign;
  return (
    <Section title="Settings" hasRule>
      <Pairs
        pairs={[
          ['Subject', subject],
          ['From', from.name ? `${from.name} <${from.email}>` : from.email || 'Not chosen yet'],
          ...(replyTo ? ([['Replies to', replyTo]] as const) : []),
          ['Audience', audienceWords(campaign)],
          ...(excludeLists.length > 0 ? ([['Without', excludeLists.map(({ name }) => name).join(', ')]] as const) : []),
          [
            'When',
            localTime ? (
              localWords(localTime)
            ) : scheduledAt ? (
              <Time at={scheduledAt} />
            ) : (
              { immediate: 'At once', scheduled: 'Scheduled', gradual: 'Gradually' }[sendMode]
            ),
          ],
          ['Pauses by itself', `${thresholdPreset} thresholds of bounces and complaints`],
          ['Opens and clicks', trackingWords(campaign)],
          ...(campaign.inlinePictures ? ([['Pictures', 'Inside the mail']] as const) : []),
          ...(tags.length > 0 ? ([['Tags', <Tags key="tags" tags={tags} />]] as const) : []),
          ['Made', <Time key="made" at={createdAt} />],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
    </Section>
  );
}

function trackingWords({ trackingOpen, trackingClick }: Campaign): string {
  if (trackingOpen && trackingClick) return 'Both counted';
  if (trackingOpen) return 'Opens counted, clicks not';
  return trackingClick ? 'Clicks counted, opens not' : 'Neither counted';
}
