import { useSignal } from '@preact/signals';
import type { InboundMessage } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { counted } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page } from '../../parts/page/page.tsx';
import { type Query, useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';
import { Answer } from './answer.tsx';
import { type Answers, withAnswers } from './answers.ts';
import { Letter } from './letter.tsx';
import { ReplyDialog } from './reply-dialog.tsx';
import { isErased } from './words.tsx';

const MAILS_A_PAGE = 20;
const ANSWERS_MAX = 100;

/** The mails of one conversation with our answers, newest first; the newest one that came in is open. */
export default function Thread({ params: { threadId = '' } }: { params: Record<string, string> }) {
  const page = currentPage();
  const mails = useQuery(
    (signal) => api.inbound.list({ threadId, page, limit: MAILS_A_PAGE }, { signal }),
    [threadId, page],
  );
  const answers = useAnswers(threadId, page);
  const replyTo = useSignal<InboundMessage | null>(null);
  useLive(
    ['email.received'],
    ({ data }) => {
      if (data.threadId === threadId) void mails.reload();
    },
    mails.reload,
  );
  const newest = mails.data.value?.items.find((mail) => !isErased(mail)) ?? mails.data.value?.items[0];
  const total = mails.data.value?.pagination.total ?? 0;
  const reply = (mail: InboundMessage) => {
    replyTo.value = mail;
  };

  return (
    <Page
      title={newest?.subject || 'A conversation'}
      crumb={{ label: 'Inbound', path: '/inbound' }}
      state={total > 0 && <span class="dim">{counted(total, 'mail')}</span>}
      actions={
        newest &&
        !isErased(newest) && (
          <Button kind="first" operation="inbound.reply" onClick={() => reply(newest)}>
            Reply
          </Button>
        )
      }
    >
      <Loaded query={mails}>
        {({ items, pagination }) =>
          items.length === 0 ? (
            <Empty title="No mail is here" action={<Button href={to('/inbound')}>All conversations</Button>}>
              It was removed after its time of retention, or the link is of another project.
            </Empty>
          ) : (
            <>
              {withAnswers(items, answers.data.value, pagination).map((entry) =>
                'answer' in entry ? (
                  <Answer key={entry.answer.id} answer={entry.answer} />
                ) : (
                  <Letter
                    key={entry.mail.id}
                    mail={entry.mail}
                    isFirst={entry.mail === items[0]}
                    onReply={() => reply(entry.mail)}
                  />
                ),
              )}
              {pagination.pages > 1 && <Pager pagination={pagination} />}
            </>
          )
        }
      </Loaded>
      {replyTo.value && (
        <ReplyDialog
          mail={replyTo.value}
          onDone={() => answers.reload()}
          onClose={() => {
            replyTo.value = null;
          }}
        />
      )}
    </Page>
  );
}

/** Our answers in a conversation, with what says which of them belong to a page of it. */
function useAnswers(threadId: string, page: number): Query<Answers> {
  return useQuery(
    async (signal): Promise<Answers> => {
      const last = (page - 1) * MAILS_A_PAGE;
      const [{ emails }, newer] = await Promise.all([
        api.emails.list({ threadId, limit: ANSWERS_MAX }, { signal }),
        last > 0 ? api.inbound.list({ threadId, page: last, limit: 1 }, { signal }) : null,
      ]);
      return { emails, before: newer?.items[0]?.receivedAt ?? null };
    },
    [threadId, page],
  );
}
