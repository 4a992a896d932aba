import type { Email } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Mono, Pairs, Timeline } from '../../parts/data/details.tsx';
import type { Tone } from '../../parts/data/state.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Tags } from '../../parts/mail/tags.tsx';
import { Drawer } from '../../parts/over/drawer.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { currentTab, Tabs } from '../../parts/page/tabs.tsx';
import { setQuery, to } from '../../router.ts';
import { EmailBody } from './body.tsx';
import { LaterButtons } from './later.tsx';
import { EmailState, wordsOf } from './state.tsx';

const tabs = [
  { key: '', label: 'What happened' },
  { key: 'mail', label: 'The mail' },
];

/** One mail: why it arrived, or did not, and how it looks. */
export function EmailDrawer({ emailId, onChange }: { emailId: string; onChange: () => unknown }) {
  const email = useQuery((signal) => api.emails.get(emailId, { signal }), [emailId]);
  const found = email.data.value;
  return (
    <Drawer
      title={found?.subject ?? 'Mail'}
      under={found && <EmailState status={found.status} />}
      onClose={() => setQuery({ email: null, of: null }, { push: true })}
    >
      <Loaded query={email}>
        {(one) => (
          <>
            <LaterButtons
              email={one}
              onChange={(changed) => {
                email.data.value = changed;
                return onChange();
              }}
            />
            <div class="stack">
              <Tabs label="Of this mail" name="of" tabs={tabs} />
              {currentTab(tabs, 'of') === 'mail' ? <EmailBody emailId={one.id} /> : <Facts email={one} />}
            </div>
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function Facts({ email }: { email: Email }) {
  const { content, campaignId, automationId, contactId, nextAttemptAt, reason } = email;
  const last = email.timeline.findLast(({ type }) => type !== 'opened' && type !== 'clicked');
  return (
    <div class="stack">
      {(reason || email.reply) && (
        <p>
          <span class="strong">{reason ?? 'The relay said'}</span>
          {email.reply && <span class="mono small"> {wordsOf(email.reply)}</span>}
        </p>
      )}
      <Pairs
        pairs={[
          [
            'To',
            <div key="to">
              {email.recipients.map((recipient, index) => (
                <p key={`${recipient.kind}-${index}`}>
                  {recipient.kind !== 'to' && <span class="dim">{recipient.kind} </span>}
                  {recipient.email ?? 'deleted contact'}{' '}
                  {email.recipients.length > 1 && <EmailState status={recipient.status} />}
                </p>
              ))}
            </div>,
          ],
          ...(content ? [['From', content.from.email] as const] : []),
          ...(contactId
            ? [
                [
                  'Contact',
                  <Door key="contact" href={to('/contacts', { person: contactId })} text="Open the person" />,
                ] as const,
              ]
            : []),
          ...(campaignId
            ? [
                [
                  'Campaign',
                  <Door key="campaign" href={to(`/campaigns/${campaignId}`)} text="Open the campaign" />,
                ] as const,
              ]
            : []),
          ...(automationId
            ? [
                [
                  'Automation',
                  <Door key="auto" href={to(`/automations/${automationId}`)} text="Open the automation" />,
                ] as const,
              ]
            : []),
          ...(email.tags.length > 0 ? [['Tags', <Tags key="tags" tags={email.tags} />] as const] : []),
          ['Lane', email.lane],
          ...(email.scheduledAt ? [['Scheduled', <Time key="scheduled" at={email.scheduledAt} />] as const] : []),
          ...(nextAttemptAt ? [['Next try', <Time key="next" at={nextAttemptAt} />] as const] : []),
          ['Id', <Mono key="id" text={email.id} what="the id" />],
        ]}
      />
      <h3>What happened</h3>
      <Timeline
        entries={email.timeline.map((entry, index) => ({
          key: String(index),
          at: entry.at,
          tone: entry === last ? toneOf(entry.type) : undefined,
          title: (
            <>
              {sentence(entry.type)}
              {entry.automated && <span class="dim"> by a machine</span>}
              {entry.email && <span class="dim"> {entry.email}</span>}
              {relayOf(entry) && <span class="dim mono small"> {relayOf(entry)}</span>}
            </>
          ),
          under: entry.reply ? <span class="mono small">{wordsOf(entry.reply)}</span> : (entry.reason ?? entry.url),
        }))}
      />
    </div>
  );
}

function Door({ href, text }: { href: string; text: string }) {
  return (
    <a class="link" href={href}>
      {text}
    </a>
  );
}

const sentences: Record<string, string> = {
  queued: 'Taken and stored',
  waiting: 'Waits: the relay takes no mail',
  capped: 'Waits: the frequency cap has no room',
  scheduled: 'Scheduled',
  cancelled: 'Cancelled',
  claimed: 'Handed to the relay',
  sent: 'The relay took it',
  delivered: 'Delivered',
  deferred: 'The relay asked to wait',
  bounced: 'Bounced',
  failed: 'Failed',
  suppressed: 'Not sent: suppressed',
  unknown: 'The relay may or may not have taken it',
  opened: 'Opened',
  clicked: 'Clicked',
  complained: 'Marked as spam',
  unsubscribed: 'Unsubscribed',
  replied: 'Answered',
};

/** Where there are several. */
function relayOf({ relay, reply }: Email['timeline'][number]): string | undefined {
  return relay ?? reply?.relay;
}

function sentence(type: string): string {
  return sentences[type] ?? type.replace(/_/g, ' ').replace(/^./, (first) => first.toUpperCase());
}

function toneOf(type: string): Tone | undefined {
  if (type === 'bounced' || type === 'failed' || type === 'complained') return 'bad';
  if (type === 'deferred' || type === 'unknown' || type === 'suppressed' || type === 'cancelled') return 'warn';
  return type === 'sent' || type === 'delivered' ? 'good' : undefined;
}
