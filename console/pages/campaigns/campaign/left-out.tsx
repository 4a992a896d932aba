import type { CampaignAnalytics, CampaignProgress, CampaignReason, CampaignReasons } from '../../../../client/index.ts';
import { count, percent } from '../../../parts/data/format.ts';
import { type Column, Table } from '../../../parts/data/table.tsx';
import { LoadFailure } from '../../../parts/page/loaded.tsx';
import { Empty } from '../../../parts/page/notice.tsx';
import { Section } from '../../../parts/page/page.tsx';
import type { Query } from '../../../parts/page/query.ts';
import type { Known } from './figures.ts';
import { Door, type View } from './people/door.tsx';
import { recipientWord } from './words.tsx';

interface Row {
  key: string;
  why: string;
  saidBy: string;
  people: number;
  view: View | null;
}

const SHOWN_MAX = 8;

/** Everybody who did not get it, or did not want it, by reason. */
export function LeftOut({ known, reasons }: { known: Known; reasons: Query<CampaignReasons> }) {
  const analytics = known.analytics.data.value;
  const progress = known.progress.data.value;
  const all = reasons.data.value && analytics && progress ? rowsOf(reasons.data.value, progress, analytics) : null;
  const total = analytics?.counts.totalContacts ?? 0;
  const columns: readonly Column<Row>[] = [
    {
      key: 'why',
      head: 'Why',
      cell: ({ why, view }) => (view ? <Door view={view}>{why}</Door> : why),
      isMain: true,
    },
    { key: 'by', head: 'Said by', cell: ({ saidBy }) => <span class="sub">{saidBy}</span> },
    { key: 'people', head: 'People', cell: ({ people }) => count(people), isNum: true },
    { key: 'part', head: 'Of audience', cell: ({ people }) => share(people, total), isNum: true, isDim: true },
  ];
  return (
    <Section title="Left out, refused, complained" span={7}>
      {reasons.error.value !== null && (
        <LoadFailure error={reasons.error.value} hasOld={all !== null} onRetry={reasons.reload} />
      )}
      {(all !== null || reasons.error.value === null) && (
        <Table
          label="Why people did not get it, or did not want it"
          columns={columns}
          rows={all}
          keyOf={({ key }) => key}
          skeletonRows={5}
          empty={
            <Empty title="Nobody was left out">
              Nobody is suppressed, no address was refused, and nobody unsubscribed or complained so far.
            </Empty>
          }
        />
      )}
    </Section>
  );
}

/** Rare reasons need more digits to be more than nothing. */
function share(people: number, total: number): string {
  return percent(people, total, total > 0 && people / total < 0.0001 ? 3 : 2);
}

/** Of each state in which people did not get it. */
const states = ['suppressed', 'bounced', 'failed', 'unknown', 'deferred'] as const;

function rowsOf(
  { reasons, others }: CampaignReasons,
  progress: CampaignProgress,
  { counts }: CampaignAnalytics,
): Row[] {
  const isWhole = others.count === 0;
  // The numbers move with the stream; the reasons of the newest ones are known when they are loaded again.
  const since = states.map((status) => {
    const known = reasons.reduce((sum, reason) => sum + (reason.status === status ? reason.count : 0), 0);
    return {
      key: status,
      why: known > 0 ? `${recipientWord(status)} since` : recipientWord(status),
      saidBy: '',
      people: isWhole ? progress[status] - known : 0,
      view: { status },
    };
  });
  const rows: Row[] = [
    ...reasons.map((reason) => ({
      key: reason.id,
      why: wordsOf(reason),
      saidBy: saidBy(reason),
      people: reason.count,
      view: { status: reason.status, reason: reason.id },
    })),
    ...since,
    {
      key: 'unsubscribed',
      why: 'Unsubscribed by this mail',
      saidBy: 'the person',
      people: counts.unsubscribed,
      view: { did: 'unsubscribed' },
    },
    {
      key: 'complained',
      why: 'Marked as spam',
      saidBy: 'mailbox provider',
      people: counts.spamReported,
      view: { did: 'complained' },
    },
  ];
  const found = rows.filter(({ people }) => people > 0).toSorted((a, b) => b.people - a.people);
  const rest = found.slice(SHOWN_MAX).reduce((sum, { people }) => sum + people, 0) + others.count;
  const shown = found.slice(0, SHOWN_MAX);
  return rest > 0 ? [...shown, { key: 'rest', why: 'Other reasons', saidBy: '', people: rest, view: null }] : shown;
}

/** '550 5.1.1 The address does not exist', 'Unsubscribed from Newsletter'. */
export function wordsOf({ status, code, enhanced, suppression, groupName, reason, example }: CampaignReason): string {
  if (status === 'suppressed') return suppressionWords(suppression, groupName);
  const codes = [code, enhanced].filter((part) => part !== null).join(' ');
  const said = reason ?? example ?? '';
  const words = codes ? `${codes} ${said}`.trim() : said || 'No reason is known';
  return status === 'deferred' ? `Deferred: ${words}` : words;
}

function suppressionWords(suppression: string | null, group: string | null): string {
  switch (suppression) {
    case 'UNSUBSCRIBE':
      return group ? `Unsubscribed from ${group}` : 'Unsubscribed';
    case 'BOUNCE':
      return 'Bounced before';
    case 'COMPLAINT':
      return 'Complained before';
    case 'MANUAL':
      return group ? `Suppressed by hand in ${group}` : 'Suppressed by hand';
    case 'LOCAL_TIME_OVER':
      return 'The time was over where they are';
    case 'FREQUENCY_CAP':
      return 'Held back by the frequency cap';
    default:
      return 'Suppressed';
  }
}

function saidBy({ status, suppression, code }: CampaignReason): string {
  if (status === 'suppressed')
    return (
      { UNSUBSCRIBE: 'the person', BOUNCE: 'relay', COMPLAINT: 'mailbox provider', MANUAL: 'a member or a program' }[
        suppression ?? ''
      ] ?? 'Everpost'
    );
  if (status === 'unknown') return 'nobody';
  return code === null ? 'Everpost' : 'relay';
}
