import type { EmailSummary, InboundMessage, Pagination } from '../../../client/index.ts';

export interface Answers {
  /** Newest first. */
  emails: readonly EmailSummary[];
  /** When the mail before those of the page came in; null on the first page. */
  before: string | null;
}

type Entry = { mail: InboundMessage } | { answer: EmailSummary };

/** Each answer is above the mail that it follows. */
export function withAnswers(
  mails: readonly InboundMessage[],
  answers: Answers | null,
  { page, pages }: Pick<Pagination, 'page' | 'pages'>,
): Entry[] {
  const oldest = page < pages ? (mails.at(-1)?.receivedAt ?? '') : '';
  const { emails = [], before = null } = answers ?? {};
  const own = emails.filter(({ createdAt }) => createdAt >= oldest && (before === null || createdAt < before));
  const at = (entry: Entry) => ('mail' in entry ? entry.mail.receivedAt : entry.answer.createdAt);
  return [...mails.map((mail) => ({ mail })), ...own.map((answer) => ({ answer }))].sort((a, b) =>
    at(b).localeCompare(at(a)),
  );
}
