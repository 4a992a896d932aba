import type { Attention, LaneNow, ProjectNow, RunningCampaign } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { timezone } from '../../locale.ts';
import { Bar, Legend, Tiles } from '../../parts/data/bars.tsx';
import { Pairs } from '../../parts/data/details.tsx';
import { count, day, duration, percent, perSecond } from '../../parts/data/format.ts';
import { Plot } from '../../parts/data/plot.tsx';
import { Badge, State, type Tone } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { waitingColumns } from '../../parts/data/waiting.tsx';
import { Button } from '../../parts/forms/button.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Empty, NoticeRow, Notices, SkeletonLines } from '../../parts/page/notice.tsx';
import { Columns, Page, Section } from '../../parts/page/page.tsx';
import { type Query, useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';
import { canPause, StatusState } from '../campaigns/campaign/words.tsx';
import { providerName } from '../migrations/words.ts';
import { FirstSteps, loadFirstSteps, type Step } from './first-steps.tsx';

/** The event of the stream: the newest points, and the day of each zone that is asked for, without its hours. */
type Summary = Pick<ProjectNow, 'at' | 'rates' | 'lanes' | 'relay' | 'attention' | 'campaigns'> & {
  today: Array<Omit<ProjectNow['today'], 'hours'>>;
};

/** Running campaigns, the mail of today, lanes and relay, and everything that needs a person. Moves by the stream. */
export default function Now() {
  const now = useQuery((signal) => api.reports.now({ timezone }, { signal }));
  const steps = useQuery(loadFirstSteps);
  useLive(['project.summary'], ({ data }) => {
    const before = now.data.value;
    if (!before) return;
    const next = withSummary(before, data as unknown as Summary);
    now.data.value = next;
    // A day has begun, whose hours no event has.
    if (next.today.from !== before.today.from) void now.reload();
  });
  return (
    <Page
      title="Now"
      state={<Badge tone="live">Live</Badge>}
      actions={
        <Button kind="first" icon="plus" operation="campaigns.create" href={to('/campaigns/new')}>
          New campaign
        </Button>
      }
    >
      <Loaded query={now}>
        {() =>
          steps.isLoading.value && steps.data.value === null ? (
            <SkeletonLines />
          ) : (
            <Figures query={now} steps={steps.data.value} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Points are those of five seconds: an event repeats the newest ones, which may have grown. */
function withSummary(now: ProjectNow, summary: Summary): ProjectNow {
  const points = new Map(now.rates.points.map((point) => [point.at, point]));
  for (const point of summary.rates.points) points.set(point.at, point);
  const kept = [...points.values()].slice(-now.rates.points.length);
  const today = summary.today.find((one) => one.timezone === now.today.timezone) ?? {};
  return { ...now, ...summary, rates: { ...now.rates, points: kept }, today: { ...now.today, ...today } };
}

/** The first steps are above the figures, so that nothing is drawn before it is known whether there are any. */
function Figures({ query, steps }: { query: Query<ProjectNow>; steps: readonly Step[] | null }) {
  const now = query.data.value;
  if (!now) return null;
  const hasSteps = steps !== null && steps.length > 0;
  return (
    <>
      {hasSteps && <FirstSteps steps={steps} />}
      <Columns hasRule={hasSteps}>
        <Section title="Messages a second" note="last 15 minutes" span={8}>
          <Rates now={now} />
        </Section>
        <Section title="Needs attention" note={now.attention.length > 0 ? count(now.attention.length) : null} span={4}>
          <NeedsAttention attention={now.attention} />
        </Section>
      </Columns>
      <Section
        title="Running"
        hasRule
        aside={
          <a class="link small" href={to('/campaigns')}>
            All campaigns
          </a>
        }
      >
        <Running query={query} campaigns={now.campaigns} />
      </Section>
      <Section
        title="Today by outcome"
        hasRule
        note={`${day(now.today.from)}, ${now.today.timezone}`}
        aside={
          <a class="link small" href={to('/emails')}>
            All emails
          </a>
        }
      >
        <Outcomes today={now.today} />
      </Section>
      <Columns hasRule>
        <Section title="Lanes" span={8}>
          <Table label="Lanes" columns={laneColumns} rows={now.lanes} keyOf={({ lane }) => lane} />
        </Section>
        <Section title="Relay" span={4}>
          <Relay relay={now.relay} />
        </Section>
      </Columns>
    </>
  );
}

function Rates({ now: { rates, lanes } }: { now: ProjectNow }) {
  const { stepSeconds, points } = rates;
  const single = points.map(({ transactional, automation }) => (transactional + automation) / stepSeconds);
  const all = points.map(({ campaign }, index) => campaign / stepSeconds + (single[index] ?? 0));
  const lately = lanes.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  const ofCampaigns = lanes.find(({ lane }) => lane === 'campaign')?.ratePerSecond ?? 0;
  return (
    <>
      <div class="row">
        <p class="figure grow">{perSecond(lately)}</p>
        <Legend
          items={[
            { label: 'all lanes', value: perSecond(lately), fill: 'accent' },
            { label: 'without campaigns', value: perSecond(lately - ofCampaigns), fill: 'idle' },
          ]}
        />
      </div>
      <Plot
        label={`Messages a second in the last 15 minutes; ${perSecond(lately)} lately.`}
        times={points.map(({ at }) => new Date(at).getTime())}
        series={[
          { label: 'All lanes', values: all, kind: 'area', fill: 'accent' },
          { label: 'Without campaigns', values: single, kind: 'line', fill: 'idle' },
        ]}
        format={perSecond}
      />
    </>
  );
}

const doors: Record<
  Attention['kind'],
  { icon: IconName; act: string; kind: 'bad' | 'warn'; path: (id: string) => string }
> = {
  relay: { icon: 'alert', act: 'Health', kind: 'bad', path: () => to('/health') },
  migration: { icon: 'migrate', act: 'Retry', kind: 'bad', path: (id) => to(`/migrations/${id}`) },
  campaign: { icon: 'pause', act: 'See why', kind: 'warn', path: (id) => to(`/campaigns/${id}`) },
  webhook: { icon: 'webhook', act: 'Open', kind: 'bad', path: (id) => to('/webhooks', { webhook: id }) },
  domain: { icon: 'domain', act: 'Records', kind: 'warn', path: (id) => to('/domains', { domain: id }) },
  reputation: { icon: 'alert', act: 'Health', kind: 'bad', path: () => to('/health') },
};

function NeedsAttention({ attention }: { attention: readonly Attention[] }) {
  if (attention.length === 0)
    return <Empty title="Nothing">Migrations, webhooks, domains and campaigns are as they should be.</Empty>;
  return (
    <Notices>
      {attention.map(({ kind, id, name, since, sentence }) => {
        const { icon, act, kind: tone, path } = doors[kind];
        const shown = kind === 'migration' ? providerName(name) : name;
        return (
          <NoticeRow
            key={`${kind} ${id}`}
            kind={tone}
            icon={icon}
            title={shown}
            action={
              <Button isSmall href={path(id ?? '')} label={`${act}: ${shown}`}>
                {act}
              </Button>
            }
          >
            {sentence} Since <Time at={since} />.
          </NoticeRow>
        );
      })}
    </Notices>
  );
}

function Running({ query, campaigns }: { query: Query<ProjectNow>; campaigns: readonly RunningCampaign[] }) {
  const change = async (call: Promise<unknown>) => {
    await call;
    await query.reload();
  };
  const columns: readonly Column<RunningCampaign>[] = [
    {
      key: 'name',
      head: 'Campaign',
      isMain: true,
      isCut: true,
      cell: ({ id, name, total, day: at }) => (
        <>
          <a href={to(`/campaigns/${id}`)}>{name}</a>{' '}
          <span class="dim small">
            {count(total)} people{at ? `, day ${at}` : ''}
          </span>
        </>
      ),
    },
    { key: 'state', head: 'State', cell: ({ status }) => <StatusState status={status} /> },
    {
      key: 'bar',
      head: 'Progress',
      isWide: true,
      cell: ({ total, sent, pending }) => (
        <Bar
          label={`${count(sent)} of ${count(total)} sent`}
          all={total}
          parts={[
            { label: 'sent', value: sent, fill: 'accent' },
            { label: 'not sent', value: Math.max(0, total - sent - pending), fill: 'idle' },
          ]}
        />
      ),
    },
    { key: 'done', head: 'Done', isNum: true, cell: (one) => percent(one.percent, 100) },
    { key: 'rate', head: 'Rate', isNum: true, cell: ({ ratePerSecond }) => perSecond(ratePerSecond) },
    {
      key: 'left',
      head: 'Time left',
      isNum: true,
      cell: ({ etaSeconds, nextAt }) =>
        nextAt ? (
          <>
            next <Time at={nextAt} />
          </>
        ) : etaSeconds === null ? (
          ''
        ) : (
          duration(etaSeconds * 1_000)
        ),
    },
    {
      key: 'acts',
      head: '',
      cell: ({ id, name, status }) =>
        status === 'paused' ? (
          <Button
            isSmall
            operation="campaigns.resume"
            label={`Resume ${name}`}
            onClick={() => change(api.campaigns.resume(id))}
          >
            Resume
          </Button>
        ) : canPause(status) ? (
          <Button
            isSmall
            operation="campaigns.pause"
            label={`Pause ${name}`}
            onClick={() => change(api.campaigns.pause(id))}
          >
            Pause
          </Button>
        ) : null,
    },
  ];
  return (
    <Table
      label="Running campaigns"
      columns={columns}
      rows={campaigns}
      keyOf={({ id }) => id}
      empty={
        <Empty
          title="No campaign is running"
          action={
            <Button operation="campaigns.create" href={to('/campaigns/new')}>
              New campaign
            </Button>
          }
        >
          Campaigns that send, wait for their time or are paused are shown here.
        </Empty>
      }
    />
  );
}

function Outcomes({ today }: { today: ProjectNow['today'] }) {
  const { accepted, sent, delivered, bounced, complained, opened, clicked, hours } = today;
  const course = (name: 'accepted' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'opened' | 'clicked') =>
    hours.map((one) => one[name]);
  const of = (status: string) => to('/emails', { status });
  return (
    <Tiles
      label="Today by outcome"
      tiles={[
        {
          label: 'Accepted',
          value: count(accepted),
          of: 'since midnight',
          href: to('/emails'),
          course: course('accepted'),
        },
        {
          label: 'Sent',
          value: count(sent),
          of: `${percent(sent, accepted)} of accepted`,
          href: of('sent'),
          course: course('sent'),
        },
        {
          label: 'Delivered',
          value: count(delivered),
          of: `${percent(delivered, sent)} of sent`,
          href: of('delivered'),
          course: course('delivered'),
        },
        {
          label: 'Bounced',
          value: count(bounced),
          of: `${percent(bounced, sent, 2)} of sent`,
          href: of('bounced'),
          course: course('bounced'),
        },
        {
          label: 'Complaints',
          value: count(complained),
          of: `${percent(complained, sent, 3)} of sent`,
          course: course('complained'),
        },
        {
          label: 'Opened',
          value: count(opened),
          of: `${percent(opened, delivered)} of delivered`,
          course: course('opened'),
        },
        {
          label: 'Clicked',
          value: count(clicked),
          of: `${percent(clicked, opened)} of opened`,
          course: course('clicked'),
        },
      ]}
    />
  );
}

const laneNames: Record<LaneNow['lane'], string> = {
  transactional: 'Transactional',
  automation: 'Automation',
  campaign: 'Campaign',
};
const laneColumns: readonly Column<LaneNow>[] = [
  { key: 'lane', head: 'Lane', isMain: true, cell: ({ lane }) => laneNames[lane] },
  ...waitingColumns<LaneNow>(),
  { key: 'flight', head: 'In flight', isNum: true, cell: ({ inFlight }) => count(inFlight) },
  { key: 'rate', head: 'Rate', isNum: true, cell: ({ ratePerSecond }) => perSecond(ratePerSecond) },
  {
    key: 'p95',
    head: 'Accepted to relay, p95',
    isNum: true,
    cell: ({ acceptedToRelayP95Ms }) => (acceptedToRelayP95Ms === null ? '' : duration(acceptedToRelayP95Ms)),
  },
];

const relayStates: Record<ProjectNow['relay']['state'], { tone: Tone; word: string }> = {
  answering: { tone: 'good', word: 'Answering' },
  not_answering: { tone: 'bad', word: 'Not answering' },
  unknown: { tone: 'warn', word: 'No process that sends is running' },
};

function Relay({ relay }: { relay: ProjectNow['relay'] }) {
  const { state, host, connections, answerP95Ms, sentLastHour, deferredLastHour, reason, notAnsweringSince } = relay;
  return (
    <Pairs
      isNum
      pairs={[
        [
          'State',
          <State key="state" tone={relayStates[state].tone}>
            {relayStates[state].word}
          </State>,
        ],
        ...(notAnsweringSince ? [['Since', <Time key="since" at={notAnsweringSince} />] as const] : []),
        ...(reason ? [['Reason', reason] as const] : []),
        ...(host
          ? [
              [
                'Host',
                <span key="host" class="mono">
                  {host}
                </span>,
              ] as const,
            ]
          : []),
        ...(connections ? [['Connections', `${connections.used} of ${connections.allowed}`] as const] : []),
        ['Answer, p95', answerP95Ms === null ? '' : duration(answerP95Ms)],
        ['Sent in the last hour', count(sentLastHour)],
        ['Deferred in the last hour', count(deferredLastHour)],
      ]}
    />
  );
}
