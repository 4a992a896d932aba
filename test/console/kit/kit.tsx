import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type LiveEvent, type LiveType, liveState, subscribe } from '../../../console/live.ts';
import { Bar, Funnel, Legend, type Part, ProgressBar, Tiles } from '../../../console/parts/data/bars.tsx';
import { Code, Mono, Pairs, Timeline } from '../../../console/parts/data/details.tsx';
import { count, percent, perSecond } from '../../../console/parts/data/format.ts';
import { Pager } from '../../../console/parts/data/pager.tsx';
import { Plot } from '../../../console/parts/data/plot.tsx';
import { Badge, State } from '../../../console/parts/data/state.tsx';
import { type Column, type Order, Table } from '../../../console/parts/data/table.tsx';
import { Button } from '../../../console/parts/forms/button.tsx';
import { Checkbox, Choose, Options } from '../../../console/parts/forms/choices.tsx';
import { Field, Select, TextArea } from '../../../console/parts/forms/field.tsx';
import { useForm } from '../../../console/parts/forms/form.ts';
import { confirm } from '../../../console/parts/over/confirm.tsx';
import { Drawer, Split } from '../../../console/parts/over/drawer.tsx';
import { Menu } from '../../../console/parts/over/menu.tsx';
import { toast } from '../../../console/parts/over/toast.tsx';
import { Empty, Notice, NoticeRow, Notices, SkeletonLines } from '../../../console/parts/page/notice.tsx';
import { Columns, Page, Section } from '../../../console/parts/page/page.tsx';
import { Tabs } from '../../../console/parts/page/tabs.tsx';
import { place } from '../../../console/router.ts';

/**
 * Every part once, for those who build pages: nothing leads here. `?view=drawer` shows a listing with a drawer, `?view=live&types=...`
 * the events of the stream, `?view=plot` a plot that is drawn again.
 */
export default function Kit() {
  const { query } = place.value;
  switch (query.get('view')) {
    case 'drawer':
      return <WithDrawer />;
    case 'live':
      return <Live types={(query.get('types') ?? '').split(',') as LiveType[]} />;
    case 'plot':
      return <Redrawn />;
    default:
      return <Parts />;
  }
}

const progress: readonly Part[] = [
  { label: 'sent', value: 147_868, fill: 'accent' },
  { label: 'in flight', value: 128, fill: 'soft' },
  { label: 'suppressed', value: 3_184, fill: 'idle' },
  { label: 'bounced, failed, unknown', value: 417, fill: 'bad' },
  { label: 'deferred', value: 214, fill: 'warn' },
];
const ALL = 248_310;
const START = Date.UTC(2026, 10, 22, 13, 2);
const times = Array.from({ length: 75 }, (_, index) => START + index * 5_000);
const rates = times.map((_, index) =>
  index < 8 ? index * 52 : index > 44 && index < 52 ? 210 : 412 + ((index * 37) % 29) - 14,
);
const clicks = times.map((_, index) => Math.round(index / 2 + ((index * 13) % 7)));
const days = Array.from({ length: 14 }, (_, index) => Date.UTC(2026, 10, 9 + index));
const UNTIL = START + 600_000;

function Parts() {
  const form = useForm({
    name: 'November letter',
    group: '',
    body: 'Hello {{firstName}}',
    when: 'gradual',
    track: true,
  });
  const theme = useSignal('all');
  return (
    <Page
      title="November letter"
      crumb={{ label: 'Campaigns', path: '/campaigns' }}
      state={<Badge tone="live">Sending</Badge>}
      note="Saved 14:07:52"
      actions={
        <>
          <Button kind="plain" icon="external" href="https://temporal.example">
            Run in Temporal
          </Button>
          <Button>Rate: 500 / s</Button>
          <Button
            kind="danger"
            onClick={() =>
              confirm({
                title: 'Abort November letter',
                text: '96,499 people do not get this mail. The 147,868 who got it keep it.',
                action: 'Abort for 96,499 people',
                isDangerous: true,
                run: () => toast('November letter is aborted', { kind: 'good' }),
              })
            }
          >
            Abort…
          </Button>
          <Button
            kind="first"
            icon="pause"
            keys="P"
            onClick={() => toast('Paused: nothing is in flight', { kind: 'good' })}
          >
            Pause
          </Button>
        </>
      }
    >
      <section class="progress" aria-label="Progress">
        <div class="figures">
          <p class="figure">
            61.0 <small>%</small>
          </p>
          <p class="figure">
            412 <small>/ s</small>
          </p>
          <p class="figure">
            3:55 <small>left, done about 14:12</small>
          </p>
        </div>
        <ProgressBar
          label="November letter"
          parts={progress}
          all={ALL}
          done={151_811}
          text="61.0 per cent, 412 a second"
        />
        <Legend items={[...progress.map(({ label, value, fill }) => ({ label, value: count(value), fill }))]} />
      </section>
      <Columns hasRule>
        <Section title="Messages a second" span={6}>
          <Plot
            label="Messages a second since 14:02: about 400, with a dip to 210 when the relay asked to slow down."
            times={times}
            until={UNTIL}
            limit={500}
            series={[{ label: 'now', values: rates, kind: 'area' }]}
            format={perSecond}
            hasLegend
          />
        </Section>
        <Section title="Opens and clicks a second" span={6}>
          <Plot
            label="Opens a second rose to 40, clicks to 7."
            times={times}
            until={UNTIL}
            series={[
              { label: 'opens', values: clicks, kind: 'area' },
              { label: 'clicks', values: clicks.map((value) => Math.round(value / 6)), fill: 'idle' },
            ]}
            hasLegend
          />
        </Section>
      </Columns>
      <Columns hasRule>
        <Section title="Funnel" note="people, per cent of the line above" span={5}>
          <Funnel
            lines={[
              { label: 'Audience', value: ALL, fill: 'line', href: '#' },
              { label: 'May be mailed', value: 245_126, fill: 'line', href: '#' },
              { label: 'Sent so far', value: 147_868, href: '#' },
              { label: 'Delivered', value: 146_902, href: '#' },
              { label: 'Opened', value: 9_214, href: '#' },
              { label: 'Clicked', value: 1_127 },
            ]}
          />
        </Section>
        <Section
          title="By day"
          span={7}
          aside={
            <a class="link small" href="/console/kit">
              All days
            </a>
          }
        >
          <Plot
            label="Mails by day"
            times={days}
            series={[
              { label: 'sent', values: days.map((_, index) => 20_000 + ((index * 7_919) % 30_000)), kind: 'bars' },
            ]}
          />
        </Section>
      </Columns>
      <Section title="Today by outcome" note="Sunday 22 November, Europe/Berlin">
        <Tiles
          label="Today by outcome"
          tiles={[
            { label: 'Accepted', value: '312,940', of: 'since midnight', href: '#', course: [1, 2, 2, 4, 9, 12, 8, 6] },
            { label: 'Sent', value: '211,482', of: '67.6 % of accepted', href: '#', course: [1, 1, 2, 3, 8, 13, 9, 5] },
            { label: 'Bounced', value: '644', of: '0.30 %, limit 5 %', course: [4, 2, 6, 5, 8, 7, 9, 5] },
            { label: 'Complaints', value: '9', of: '0.004 %, limit 0.1 %' },
            { label: 'Opened', value: '31,206', of: '14.9 % of delivered' },
          ]}
        />
      </Section>
      <Section title="Recipients">
        <Tabs
          label="Recipients by state"
          tabs={[
            { key: '', label: 'All', n: ALL },
            { key: 'queued', label: 'Queued', n: 96_627 },
            { key: 'bounced', label: 'Bounced', n: 402 },
            { key: 'unknown', label: 'Unknown', n: 3 },
          ]}
        />
        <People />
      </Section>
      <Columns hasRule>
        <Section title="Settings" span={6}>
          <form class="stack" onSubmit={form.submit(() => Promise.reject(new Error('no')))}>
            <Field form={form} name="name" label="Name" hint="Only members see it." />
            <Select
              form={form}
              name="group"
              label="Unsubscribe group"
              options={[
                { value: '', label: 'Choose a group' },
                { value: 'N', label: 'Newsletter' },
              ]}
            />
            <TextArea form={form} name="body" label="Text" />
            <Options
              form={form}
              name="when"
              label="When"
              look="segments"
              options={[
                { value: 'now', label: 'Now' },
                { value: 'time', label: 'At a time' },
                { value: 'gradual', label: 'Gradual' },
              ]}
            />
            <Options
              form={form}
              name="when"
              label="When it is sent"
              options={[
                { value: 'now', label: 'Now', hint: 'Everybody gets it within minutes.' },
                { value: 'time', label: 'At a time', hint: 'In the time zone of the project.' },
                { value: 'gradual', label: 'Gradual', hint: 'More people each day.' },
              ]}
            />
            <Checkbox
              form={form}
              name="track"
              label="Count opens and clicks"
              hint="Adds a picture and leads links over this server."
            />
            <div class="row">
              <Button kind="first" type="submit" isBusy={form.isBusy.value}>
                Save
              </Button>
              <Button why="There is nothing to discard.">Discard</Button>
            </div>
            {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
          </form>
        </Section>
        <Section title="What happened" span={6}>
          <Timeline
            entries={[
              {
                key: '1',
                title: 'Holds: Provider A answered 401',
                under: 'the key was revoked',
                at: START,
                tone: 'bad',
              },
              {
                key: '2',
                title: 'Provider A asked to slow down',
                under: '429, went on after 60 s',
                at: START,
                tone: 'warn',
              },
              { key: '3', title: 'Started by ada@harbour.example', at: START, tone: 'good' },
            ]}
          />
          <Pairs
            pairs={[
              ['Host', <Mono key="h" text="relay.harbour.example:587" what="the host" />],
              ['Connections', '12 of 16'],
              [
                'State',
                <State key="s" tone="good">
                  Answering
                </State>,
              ],
            ]}
          />
          <Code
            label="Headers"
            text={'Received: from relay.harbour.example\nDKIM-Signature: v=1; a=ed25519-sha256'}
            what="the headers"
          />
          <Choose
            label="Which"
            value={theme.value}
            options={[
              { value: 'all', label: 'all' },
              { value: 'any', label: 'any' },
            ]}
            onChange={(value) => {
              theme.value = value;
            }}
          />
          <Menu
            label="More"
            items={[
              { label: 'Duplicate', icon: 'copy', onPick: () => toast('Duplicated') },
              { label: 'Download recipients', icon: 'download' },
              {
                label: 'Delete…',
                icon: 'trash',
                isDangerous: true,
                why: 'A campaign that is sending cannot be deleted.',
              },
            ]}
          >
            More
          </Menu>
        </Section>
      </Columns>
      <Notice
        kind="bad"
        title="Contacts hold at 170,580 of 482,000: Provider A refused the key (401)"
        action={<Button isSmall>Retry…</Button>}
      >
        <p>Nothing is lost. Retry with a key that may read contacts; it continues with page 171.</p>
      </Notice>
      <Notices>
        <NoticeRow
          kind="bad"
          icon="migrate"
          title="Migration from Provider A holds"
          action={<Button isSmall>Retry</Button>}
        >
          Phase contacts: the key was refused (401). 311,420 people wait.
        </NoticeRow>
        <NoticeRow
          kind="warn"
          icon="pause"
          title="Campaign Reading list, Spain is paused"
          action={<Button isSmall>See why</Button>}
        >
          Bounces reached 5.1 % of 2,400. The balanced preset stops at 5 %.
        </NoticeRow>
      </Notices>
      <Columns>
        <Section title="Nothing yet" span={6}>
          <Empty title="Nothing uses this segment yet" action={<Button>New campaign</Button>}>
            Send a campaign to these people, or let an automation start when somebody enters.
          </Empty>
        </Section>
        <Section title="On its way" span={6}>
          <SkeletonLines />
        </Section>
      </Columns>
    </Page>
  );
}

const SHOWN = 12;

function Redrawn() {
  const drawn = useSignal(0);
  const values = useSignal<readonly number[]>([40, 60]);
  return (
    <Page title="Plot" state={<Badge>drawn {count(drawn.value)} times</Badge>}>
      <Button
        onClick={() => {
          drawn.value += 1;
          values.value = [...values.value];
        }}
      >
        The same points
      </Button>
      <Button
        onClick={() => {
          drawn.value += 1;
          values.value = [...values.value, 90];
        }}
      >
        One more
      </Button>
      <Plot
        label={`A plot of ${values.value.length} points`}
        times={values.value.map((_, index) => 1_800_000_000_000 + index * 60_000)}
        series={[{ label: 'now', values: values.value, kind: 'area' }]}
      />
    </Page>
  );
}

function Live({ types }: { types: readonly LiveType[] }) {
  const seen = useSignal(0);
  const repeated = useSignal(0);
  const last = useSignal<readonly string[]>([]);
  const ids = useRef(new Set<string>());
  const isCovered = useSignal(false);
  const note = ({ id = '', data }: LiveEvent) => {
    if (ids.current.has(id)) repeated.value += 1;
    ids.current.add(id);
    seen.value += 1;
    last.value = [JSON.stringify(data).slice(0, 60), ...last.value].slice(0, SHOWN);
  };
  useEffect(() => {
    const { isCovered: known, stop } = subscribe(types, note);
    const unwatch = known.subscribe((now) => {
      isCovered.value = now;
    });
    return () => {
      stop();
      unwatch();
    };
  }, []);
  return (
    <Page title="Events" state={<Badge>{isCovered.value ? liveState.value : 'waiting'}</Badge>}>
      <p class="figure">
        {count(seen.value)} <small>events, {count(repeated.value)} of them repeated</small>
      </p>
      <Bar parts={[{ label: 'seen', value: seen.value % 200, fill: 'accent' }]} all={200} />
      <Timeline entries={last.value.map((id, index) => ({ key: `${id} ${index}`, title: id, at: null }))} />
    </Page>
  );
}

interface Person {
  email: string;
  reply: string;
  words: string;
  done: number;
}

const people: readonly Person[] = [
  { email: 'marta.lindqvist@norrland.example', reply: '550 5.1.1', words: 'No such user here', done: 20 },
  {
    email: 'orders@kleinmarkt.example',
    reply: '552 5.2.2',
    words: 'Mailbox full, 1,024 MB of 1,024 MB used',
    done: 60,
  },
  {
    email: 't.nakamura@sumire.example',
    reply: '550 5.1.1',
    words: 'The account that you tried to reach does not exist',
    done: 96,
  },
];

const columns: readonly Column<Person>[] = [
  {
    key: 'email',
    head: 'Address',
    cell: ({ email }) => <a href="/console/kit?view=drawer">{email}</a>,
    isMain: true,
    isCut: true,
    canSort: true,
  },
  { key: 'state', head: 'State', cell: () => <State tone="bad">Bounced</State> },
  { key: 'reply', head: 'Reply', cell: ({ reply }) => reply, isMono: true },
  { key: 'words', head: "The relay's words", cell: ({ words }) => words, isDim: true, phone: 'bare' },
  {
    key: 'done',
    head: 'Progress',
    isWide: true,
    cell: ({ done }) => (
      <Bar label={percent(done, 100)} parts={[{ label: 'done', value: done, fill: 'accent' }]} all={100} />
    ),
  },
  { key: 'at', head: 'At', cell: () => '14:08:19', isNum: true, isDim: true, phone: 'hide' },
  { key: 'acts', head: '', cell: () => <Menu label="Actions" isSmall items={[{ label: 'Retry' }]} /> },
];

function People() {
  const order = useSignal<Order>({ by: 'email', direction: 'ascending' });
  const chosen = useSignal<ReadonlySet<string>>(new Set(['orders@kleinmarkt.example']));
  return (
    <>
      <Table
        label="Recipients"
        columns={columns}
        rows={people}
        keyOf={({ email }) => email}
        order={order.value}
        onOrder={(next) => {
          order.value = next;
        }}
        chosen={chosen.value}
        onChoose={(next) => {
          chosen.value = next;
        }}
      />
      <Pager pagination={{ page: 1, limit: 8, total: 402, pages: 51 }} onPage={(page) => toast(`Page ${page}`)} />
      <Table label="On its way" columns={columns} rows={null} keyOf={() => ''} skeletonRows={3} />
    </>
  );
}

function WithDrawer() {
  const current = useSignal<string | null>('orders@kleinmarkt.example');
  return (
    <Page title="Contacts" state={<span class="dim">1,042,310</span>} isFlush>
      <Split
        drawer={
          current.value && (
            <Drawer
              key={current.value}
              title={current.value}
              onClose={() => {
                current.value = null;
              }}
              under={
                <p class="chips">
                  <Badge tone="good">May be mailed</Badge>
                  <Badge tone="warn">Not by group Offers</Badge>
                </p>
              }
            >
              <Pairs pairs={[['Lists', 'Newsletter, Reading circle']]} />
            </Drawer>
          )
        }
      >
        <Table
          label="Contacts"
          isListing
          columns={columns.slice(0, 4)}
          rows={people}
          keyOf={({ email }) => email}
          current={current.value}
        />
        <Pager pagination={{ page: 1, limit: 20, total: 3, pages: 1 }} isListing />
      </Split>
    </Page>
  );
}
