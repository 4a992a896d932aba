import type { RecipientStory, TimelineEntry } from '../../../../../client/index.ts';
import { api } from '../../../../api.ts';
import { Code, type Happened, Timeline } from '../../../../parts/data/details.tsx';
import type { Tone } from '../../../../parts/data/state.tsx';
import { Drawer } from '../../../../parts/over/drawer.tsx';
import { Loaded } from '../../../../parts/page/loaded.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { setQuery, to } from '../../../../router.ts';
import { RecipientState } from '../words.tsx';

/** Why one person got it, or not, and what happened since. */
export function Story({ campaignId, contactId }: { campaignId: string; contactId: string }) {
  const story = useQuery((signal) => api.campaigns.recipient(campaignId, contactId, { signal }), [contactId]);
  const recipient = story.data.value?.recipient;
  return (
    <Drawer
      title={recipient?.email ?? 'Recipient'}
      under={recipient && <RecipientState status={recipient.status} />}
      onClose={() => setQuery({ person: null })}
    >
      <div class="stack">
        <Loaded query={story}>{(data) => <Told story={data} />}</Loaded>
      </div>
    </Drawer>
  );
}

function Told({ story: { reason, recipient, timeline, engagement, contactId } }: { story: RecipientStory }) {
  const happened = [...timeline.map(lineOf), ...engagementLines(engagement, timeline)].toSorted(
    (a, b) => Date.parse(String(a.at)) - Date.parse(String(b.at)),
  );
  const reply = recipient?.reply;
  return (
    <>
      <p>{reason}</p>
      {reply && (
        <Code
          label={reply.relay ? `The words of ${reply.relay}` : "The relay's words"}
          what="the relay's words"
          text={[reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ')}
        />
      )}
      {happened.length > 0 && <Timeline entries={happened} />}
      <p class="row wrap">
        {recipient && (
          <a class="link" href={to('/emails', { email: recipient.emailId })}>
            This mail
          </a>
        )}
        <a class="link" href={to('/contacts', { person: contactId })}>
          This contact
        </a>
      </p>
    </>
  );
}

const lines: Record<string, { title: string; tone?: Tone }> = {
  queued: { title: 'Queued' },
  sent: { title: 'The relay took it', tone: 'good' },
  delivered: { title: 'Delivered', tone: 'good' },
  bounced: { title: 'Bounced', tone: 'bad' },
  failed: { title: 'Failed', tone: 'bad' },
  deferred: { title: 'Deferred by the relay', tone: 'warn' },
  suppressed: { title: 'Not sent: suppressed' },
  unknown: { title: 'No answer after the mail was handed over', tone: 'warn' },
  retried: { title: 'Sent again by a person' },
  opened: { title: 'Opened', tone: 'live' },
  clicked: { title: 'Clicked', tone: 'live' },
  unsubscribed: { title: 'Unsubscribed', tone: 'warn' },
  complained: { title: 'Marked as spam', tone: 'bad' },
};

function lineOf({ type, at, reply, reason, relay, url, automated }: TimelineEntry, index: number): Happened {
  const known = lines[type] ?? { title: type };
  const said = reply && [reply.relay, reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ');
  return {
    key: `${index} ${type}`,
    title: automated ? `${known.title} by a machine` : known.title,
    under: url ?? said ?? [relay, reason].filter(Boolean).join(' '),
    at,
    tone: known.tone,
  };
}

/** Acts that the timeline does not have. */
function engagementLines(engagement: RecipientStory['engagement'], timeline: readonly TimelineEntry[]): Happened[] {
  if (!engagement) return [];
  const known = new Set(timeline.map(({ type }) => type));
  const { openedAt, humanOpenedAt, clickedAt, unsubscribedAt, complainedAt } = engagement;
  const all = [
    [
      'opened',
      humanOpenedAt === null && openedAt !== null ? 'Opened by a machine' : 'Opened',
      humanOpenedAt ?? openedAt,
    ],
    ['clicked', 'Clicked', clickedAt],
    ['unsubscribed', 'Unsubscribed', unsubscribedAt],
    ['complained', 'Marked as spam', complainedAt],
  ] as const;
  return all.flatMap(([type, title, at]) =>
    at === null || known.has(type) ? [] : [{ key: type, title, at, tone: lines[type]?.tone }],
  );
}
