import type { HealthDetails } from '../../client/index.ts';
import { api } from '../api.ts';
import { Pairs } from '../parts/data/details.tsx';
import { bytes, count, percent, perSecond } from '../parts/data/format.ts';
import { State, type Tone } from '../parts/data/state.tsx';
import { type Column, Table } from '../parts/data/table.tsx';
import { Time } from '../parts/data/time.tsx';
import { waitingColumns } from '../parts/data/waiting.tsx';
import { Button } from '../parts/forms/button.tsx';
import { Loaded } from '../parts/page/loaded.tsx';
import { Empty } from '../parts/page/notice.tsx';
import { Columns, Page, Section } from '../parts/page/page.tsx';
import { useQuery } from '../parts/page/query.ts';
import { standings } from './reports/standings.ts';

type Process = NonNullable<HealthDetails['processes']>[number];
type Relay = NonNullable<HealthDetails['relays']>[number];
type Budget = NonNullable<HealthDetails['budgets']>[number];
type Usage = HealthDetails['inbound']['project'];
type Job = HealthDetails['jobs'][number];
type Reputation = Awaited<ReturnType<typeof api.reports.reputation>>;

/** Servers, relays, processes, work that waits, and how mailbox providers see the sending domains. */
export default function Health() {
  const health = useQuery((signal) => api.reports.health({ signal }));
  const reputation = useQuery((signal) => api.reports.reputation({ signal }));
  return (
    <Page
      title="Health"
      actions={
        <Button icon="refresh" onClick={() => Promise.all([health.reload(), reputation.reload()])}>
          Load again
        </Button>
      }
    >
      <Loaded query={health}>{(details) => <Servers details={details} />}</Loaded>
      <Section title="Reputation of sending domains" note="complaints that reach us; Google reports none" hasRule>
        <Loaded query={reputation}>{(found) => <Domains reputation={found} />}</Loaded>
      </Section>
    </Page>
  );
}

function Servers({ details }: { details: HealthDetails }) {
  const { version, mongodb, redis, temporal, temporalUrl, relays, budgets, processes, inbound, jobs } = details;
  const up = (state: 'up' | 'down') => (
    <State tone={state === 'up' ? 'good' : 'bad'}>{state === 'up' ? 'Answering' : 'Not answering'}</State>
  );
  return (
    <>
      <Columns>
        <Section title="Servers" span={4}>
          <Pairs
            pairs={[
              ['MongoDB', up(mongodb)],
              ['Redis', up(redis)],
              ['Temporal', up(temporal)],
              ['Version', version],
              ...(temporalUrl
                ? [
                    [
                      'Runs',
                      <a key="runs" class="link" href={temporalUrl} target="_blank" rel="noreferrer">
                        Temporal Web UI
                      </a>,
                    ] as const,
                  ]
                : []),
            ]}
          />
        </Section>
        <Section title="Waiting work" note="jobs of this project that are due" span={8}>
          <Table
            label="Waiting work"
            columns={jobColumns}
            rows={jobs.filter(({ waiting }) => waiting > 0)}
            keyOf={({ name }) => name}
            empty={<Empty title="Nothing waits">Every job of this project is done or not due yet.</Empty>}
          />
        </Section>
      </Columns>
      <Section
        title="Inbound mail of today"
        note="mail to people; more than allowed is put off until midnight UTC"
        hasRule
      >
        <Table
          label="Inbound mail of today"
          columns={usageColumns}
          rows={[
            { who: 'This project', ...inbound.project },
            ...(inbound.networks ?? []).map(({ network, ...usage }) => ({ who: `From ${network}`, ...usage })),
          ]}
          keyOf={({ who }) => who}
          empty={null}
        />
      </Section>
      {relays && (
        <Section title="Relays" note="as the processes that send report them" hasRule>
          <Table
            label="Relays"
            columns={relayColumns}
            rows={relays}
            keyOf={({ route, host }) => `${route} ${host}`}
            empty={
              <Empty title="No relay is in use">Relays are shown here while a process that sends is running.</Empty>
            }
          />
        </Section>
      )}
      {budgets && (
        <Section title="Budgets" note="for all processes together" hasRule>
          <Table
            label="Budgets"
            columns={budgetColumns}
            rows={budgets}
            keyOf={({ name }) => name}
            empty={<Empty title="No budget is in use">Budgets are shown here while a worker is running.</Empty>}
          />
        </Section>
      )}
      {processes && (
        <Section title="Processes" note={count(processes.length)} hasRule>
          <Table
            label="Processes"
            columns={processColumns}
            rows={processes}
            keyOf={({ id }) => id}
            empty={<Empty title="No worker is running">Start workers: nothing is sent until one runs.</Empty>}
          />
        </Section>
      )}
    </>
  );
}

const jobColumns: readonly Column<Job>[] = [
  { key: 'name', head: 'Work', isMain: true, cell: ({ name }) => name.replace(/-/g, ' ') },
  ...waitingColumns<Job>(),
];

const usageColumns: readonly Column<Usage & { who: string }>[] = [
  { key: 'who', head: 'Mail', isMain: true, cell: ({ who }) => who },
  {
    key: 'state',
    head: 'State',
    cell: ({ putOff }) => (
      <State tone={putOff === 0 ? 'good' : 'warn'}>{putOff === 0 ? 'Taken' : 'Some put off'}</State>
    ),
  },
  { key: 'bytes', head: 'Taken', isNum: true, cell: (usage) => bytes(usage.bytes) },
  { key: 'bytesMax', head: 'Allowed', isNum: true, cell: ({ bytesMax }) => bytes(bytesMax) },
  { key: 'putOff', head: 'Times put off', isNum: true, cell: ({ putOff }) => count(putOff) },
];

const relayStates: Record<Relay['state'], { tone: Tone; word: string }> = {
  answering: { tone: 'good', word: 'Answering' },
  not_answering: { tone: 'bad', word: 'Not answering' },
};

const relayColumns: readonly Column<Relay>[] = [
  { key: 'host', head: 'Relay', isMain: true, isMono: true, cell: ({ host }) => host },
  {
    key: 'state',
    head: 'State',
    cell: ({ state, notAnsweringSince }) => (
      <State tone={relayStates[state].tone}>
        {relayStates[state].word}
        {notAnsweringSince && (
          <>
            {' since '}
            <Time at={notAnsweringSince} />
          </>
        )}
      </State>
    ),
  },
  { key: 'reason', head: 'Reason', isDim: true, cell: ({ reason }) => reason },
  {
    key: 'route',
    head: 'Listed in',
    isDim: true,
    cell: ({ route }) => (route === 'transactional' ? 'SMTP_TRANSACTIONAL_URL' : 'SMTP_URL'),
  },
  { key: 'priority', head: 'Priority', isNum: true, cell: ({ priority }) => count(priority) },
  { key: 'weight', head: 'Weight', isNum: true, cell: ({ weight }) => count(weight) },
  { key: 'connections', head: 'Connections', isNum: true, cell: ({ connections }) => count(connections) },
  { key: 'taken', head: 'Mails taken', isNum: true, cell: ({ taken }) => count(taken) },
];

const budgetColumns: readonly Column<Budget>[] = [
  { key: 'name', head: 'Budget', isMain: true, cell: ({ name }) => name },
  { key: 'budget', head: 'Allowed', isNum: true, cell: (budget) => amount(budget, budget.budget) },
  { key: 'shared', head: 'Shared out', isNum: true, cell: (budget) => amount(budget, budget.shared) },
  { key: 'inUse', head: 'In use', isNum: true, cell: (budget) => amount(budget, budget.inUse) },
  { key: 'wanted', head: 'Wanted', isNum: true, cell: (budget) => amount(budget, budget.wanted) },
  { key: 'processes', head: 'Shares', isDim: true, cell: sharesOf },
  {
    key: 'mode',
    head: 'Mode',
    cell: ({ mode }) => (
      <State tone={mode === 'shared' ? 'good' : 'warn'}>{mode === 'shared' ? 'By need' : 'Equal parts'}</State>
    ),
  },
];

function amount({ unit }: Budget, of: number): string {
  return unit === 'per second' ? perSecond(of) : count(of);
}

const SHARES_SHOWN_MAX = 6;

function sharesOf(budget: Budget): string {
  const { processes } = budget;
  if (processes.length <= SHARES_SHOWN_MAX)
    return processes.map(({ share, roles }) => `${amount(budget, share)} ${roles.join('+')}`).join(', ');
  const shares = processes.map(({ share }) => share);
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => amount(budget, share));
  return `${least} to ${most} in ${count(processes.length)} processes`;
}

const processColumns: readonly Column<Process>[] = [
  { key: 'roles', head: 'Roles', isMain: true, cell: ({ roles }) => roles.join(', ') },
  { key: 'version', head: 'Version', isDim: true, cell: ({ version }) => version },
  { key: 'memory', head: 'Memory', isNum: true, cell: ({ memoryBytes }) => bytes(memoryBytes) },
  { key: 'jobs', head: 'Jobs', isNum: true, cell: ({ jobs }) => count(jobs) },
  { key: 'held', head: 'Mails held', isNum: true, cell: ({ held }) => count(held) },
  {
    key: 'connections',
    head: 'Connections',
    isNum: true,
    cell: ({ connections: { used, allowed } }) => `${used} of ${allowed}`,
  },
  { key: 'since', head: 'Started', isNum: true, isDim: true, cell: ({ startedAt }) => <Time at={startedAt} /> },
];

type Domain = Reputation['domains'][number];

function Domains({ reputation }: { reputation: Reputation }) {
  const columns: readonly Column<Domain>[] = [
    { key: 'domain', head: 'Domain', isMain: true, cell: ({ domain }) => domain },
    {
      key: 'status',
      head: 'State',
      cell: ({ status }) => <State tone={standings[status].tone}>{standings[status].word}</State>,
    },
    { key: 'sent', head: 'Sent, 7 days', isNum: true, cell: ({ last7Days }) => count(last7Days.sent) },
    {
      key: 'bounces',
      head: 'Bounced, 7 days',
      isNum: true,
      cell: ({ last7Days }) => percent(last7Days.bounced, last7Days.sent, 2),
    },
    {
      key: 'complaints',
      head: 'Complaints, 7 days',
      isNum: true,
      cell: ({ last7Days }) => percent(last7Days.complained, last7Days.sent, 3),
    },
  ];
  return (
    <Table
      label="Reputation"
      columns={columns}
      rows={reputation.domains}
      keyOf={({ domain }) => domain}
      empty={<Empty title="No mail in seven days">Domains are shown here when mail was sent from them.</Empty>}
    />
  );
}
