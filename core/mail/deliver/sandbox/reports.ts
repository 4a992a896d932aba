import type { ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../../../base/database/idempotent-insert.ts';
import { derivedId } from '../../../base/ids.ts';
import { sandboxBehaviour } from '../../../base/sandbox.ts';
import { again, type DueOutcome, documentQueue, settled } from '../../../jobs/document-queue.ts';
import { type JobQueue, wakeQueue } from '../../../jobs/queue.ts';
import type { MailDeps } from '../../deps.ts';
import { after } from '../../ledger/ledger.ts';
import type { Reply } from '../../ledger/relay.ts';
import { formatReply } from '../../ledger/rules/relay-replies.ts';
import type { SandboxReport } from './model.ts';
import { type ReportMail, reportMail } from './report-text.ts';

const SANDBOX_REPORTS = 'sandbox-reports';
/** The outcome of the mail is usually stored by then; before it is, the report would be asked to come back. */
const FIRST_AFTER_MS = 500;
const AGAIN_MIN_MS = 1_000;
const AGAIN_MAX_MS = 60_000;
const HEAD_MAX = 16_000;
const AT_ONCE_MAX = 4;

interface AcceptedMail {
  projectId: ObjectId;
  messageId: ObjectId;
  returnPath: string;
  /** The accepted recipients. */
  emails: string[];
  message: string | Buffer;
}

/** Stores the reports that follow from a mail that the sandbox has taken. A repeat stores none twice. */
export async function storeReports(
  deps: Pick<MailDeps, 'db' | 'clock' | 'signals'>,
  mail: AcceptedMail,
): Promise<void> {
  const { projectId, messageId, returnPath } = mail;
  const createdAt = deps.clock.now();
  const reports = mail.emails.flatMap((email) => {
    const behaviour = sandboxBehaviour(email);
    const kind = behaviour === 'bounced' ? 'bounce' : behaviour === 'complained' ? 'complaint' : null;
    return kind ? [{ email, kind } as const] : [];
  });
  if (reports.length === 0) return;
  const head = headOf(mail.message);
  const writes = reports.map(({ email, kind }) => ({
    updateOne: {
      filter: { _id: derivedId(messageId.getTimestamp(), 'sandbox report', messageId.toHexString(), email), projectId },
      update: [
        {
          $set: {
            ...{ messageId, kind, createdAt, email: { $literal: email }, returnPath: { $literal: returnPath } },
            head: { $literal: head },
            dueAt: { $ifNull: ['$dueAt', after(FIRST_AFTER_MS)] },
          },
        },
      ],
      upsert: true,
    },
  }));
  await repeatOnDuplicate(() => deps.db.sandboxReports.bulkWrite(writes, { ordered: false }));
  wakeQueue(deps, SANDBOX_REPORTS, projectId);
}

/** Hands reports to the inbound mail server, as a mail server that reports would. A reply of code 0 says that none came. */
export function sandboxReports(deps: MailDeps, hand: (mail: ReportMail) => Promise<Reply>): JobQueue {
  return documentQueue<SandboxReport>(deps, {
    name: SANDBOX_REPORTS,
    collection: deps.db.sandboxReports,
    field: 'dueAt',
    concurrencyMax: AT_ONCE_MAX,
    run: (report) => handOver(deps, hand, report),
  });
}

/** A second time is harmless: a report that is applied already changes nothing. */
async function handOver(
  deps: MailDeps,
  hand: (mail: ReportMail) => Promise<Reply>,
  report: SandboxReport,
): Promise<DueOutcome> {
  const { _id, projectId, messageId, createdAt } = report;
  const reply = await hand(reportMail(report, deps.config.mailHost));
  if (reply.code >= 500) deps.log.warn({ reply: formatReply(reply), messageId }, 'a sandbox report was refused');
  if (reply.code >= 200 && (reply.code < 400 || reply.code >= 500)) {
    await deps.db.sandboxReports.deleteOne({ _id, projectId });
    return settled;
  }
  const now = deps.clock.now().getTime();
  const ageMs = now - createdAt.getTime();
  return again(new Date(now + Math.min(AGAIN_MAX_MS, Math.max(AGAIN_MIN_MS, ageMs))));
}

/** Whole lines. */
function headOf(message: string | Buffer): string {
  const text = typeof message === 'string' ? message.slice(0, HEAD_MAX) : message.toString('latin1', 0, HEAD_MAX);
  const end = text.indexOf('\r\n\r\n');
  return text.slice(0, end === -1 ? text.lastIndexOf('\r\n') : end);
}
