import { SANDBOX_DOMAIN } from '../../../base/sandbox.ts';
import type { SandboxReport } from './model.ts';

const DAEMON = `MAILER-DAEMON@${SANDBOX_DOMAIN}`;
const FEEDBACK = `fbl@${SANDBOX_DOMAIN}`;

export interface ReportMail {
  /** '' is the null sender. */
  from: string;
  to: string;
  text: string;
}

/** As a mail server would write it: a bounce to the return path of the mail, a complaint to the feedback address of this server. */
export function reportMail(report: SandboxReport, mailHost: string): ReportMail {
  if (report.kind === 'bounce') return { from: '', to: report.returnPath, text: bounceReport(report) };
  const host = /^[\d.]+$/.test(mailHost) ? `[${mailHost}]` : mailHost;
  const to = `fbl@${host}`;
  return { from: FEEDBACK, to, text: complaintReport(report, to) };
}

/** RFC 3464. */
function bounceReport({ _id, email, returnPath, head, createdAt }: SandboxReport): string {
  const reply = `550 5.1.1 <${email}>: Recipient address rejected: user unknown in the sandbox`;
  return multipart(_id.toHexString(), 'delivery-status', {
    head: [
      `From: Mail Delivery System <${DAEMON}>`,
      `To: ${returnPath}`,
      'Subject: Undelivered Mail Returned to Sender',
      'Auto-Submitted: auto-replied',
    ],
    at: createdAt,
    said: `Your message could not be delivered to <${email}>.\nThe mail system said: ${reply}`,
    fields: [
      `Reporting-MTA: dns; ${SANDBOX_DOMAIN}`,
      `Arrival-Date: ${createdAt.toUTCString()}`,
      '',
      `Final-Recipient: rfc822; ${email}`,
      `Original-Recipient: rfc822; ${email}`,
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; ${reply}`,
    ],
    original: head,
  });
}

/** RFC 5965. */
function complaintReport({ _id, email, returnPath, head, createdAt }: SandboxReport, to: string): string {
  return multipart(_id.toHexString(), 'feedback-report', {
    head: [`From: Feedback <${FEEDBACK}>`, `To: ${to}`, 'Subject: Complaint about a mail'],
    at: createdAt,
    said: `This is an abuse report for a mail to <${email}>.`,
    fields: [
      'Feedback-Type: abuse',
      `User-Agent: ${SANDBOX_DOMAIN}/1`,
      'Version: 1',
      `Original-Mail-From: <${returnPath}>`,
      `Original-Rcpt-To: <${email}>`,
      `Arrival-Date: ${createdAt.toUTCString()}`,
    ],
    original: head,
  });
}

interface Parts {
  head: string[];
  at: Date;
  said: string;
  fields: string[];
  original: string;
}

function multipart(id: string, type: 'delivery-status' | 'feedback-report', parts: Parts): string {
  const boundary = `sandbox-${id}`;
  const part = (contentType: string, text: string) => `--${boundary}\nContent-Type: ${contentType}\n\n${text}\n`;
  const lines = [
    ...parts.head,
    `Date: ${parts.at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${SANDBOX_DOMAIN}>`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="${boundary}"`,
    '',
    part('text/plain; charset=us-ascii', `${parts.said}\n`) +
      part(`message/${type}`, `${parts.fields.join('\n')}\n`) +
      part('text/rfc822-headers', parts.original) +
      `--${boundary}--`,
  ];
  return lines.join('\n').replace(/\r?\n/g, '\r\n');
}
