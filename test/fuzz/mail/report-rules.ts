import { expect } from 'chai';
import fc from 'fast-check';
import { emailIdIn, replySubject, threadHeaders } from '../../../core/base/text/message-ids.ts';
import { readComplaint } from '../../../core/mail/feedback/delivery-reports/arf.ts';
import { readReturnedMail } from '../../../core/mail/feedback/delivery-reports/dsn.ts';
import { addressIn, fieldGroups } from '../../../core/mail/feedback/delivery-reports/fields.ts';
import { classifyReply, parseRetryAfter } from '../../../core/mail/ledger/rules/bounces.ts';
import { leastOf } from '../../linear/cpu.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from '../run.ts';
import { reportTexts, texts } from './inputs.ts';

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed'];
const PARTS = [
  'message/delivery-status',
  'message/global-delivery-status',
  'message/feedback-report',
  'message/rfc822',
  'text/rfc822-headers',
];
const LINE = /^[^\r\n]*$/;

const inputs = fc.record({
  from: texts(),
  subject: texts(),
  text: texts(),
  report: reportTexts(),
  contentType: fc.constantFrom(...PARTS),
  headers: fc.array(
    fc.tuple(fc.constantFrom('auto-submitted', 'precedence', 'x-failed-recipients', 'x-autoreply'), texts()),
    { maxLength: 3 },
  ),
  ids: fc.array(texts(), { maxLength: 5 }),
});

/** The functions that read returned mail, without a thread around them. */
export function fuzzReportRules(options: FuzzOptions): Promise<FuzzResult> {
  return fuzz(
    'reports, replies and threads',
    inputs,
    ({ from, subject, text, report, contentType, headers, ids }) => {
      const parts = [
        { contentType, text: report },
        { contentType: 'text/rfc822-headers', text },
      ];
      const work = () => {
        const read = readReturnedMail({ mailFrom: '', from, subject, text, headers: new Map(headers), parts });
        if (read.kind === 'delivery')
          for (const { action, code, enhanced, recipient, text: said } of read.reports) {
            expect(ACTIONS).to.include(action);
            expect(code === 0 || (code >= 200 && code < 600), `code ${code}`).to.equal(true);
            expect(recipient === null || recipient.includes('@')).to.equal(true);
            expect(said.length).to.be.at.most(2_000);
            classifyReply({ code, enhanced, text: said, phase: 'dsn' });
          }
        const complaint = readComplaint(parts);
        expect(complaint?.traces.length ?? 0).to.be.at.most(50);
        fieldGroups(report);
        addressIn(text);
        parseRetryAfter(text);
        emailIdIn(text);
        const thread = threadHeaders(ids[0] ?? '', ids.slice(1), null);
        if (thread)
          for (const value of Object.values(thread)) expect(value).to.match(LINE).and.to.have.length.at.most(998);
        replySubject(subject);
      };
      return leastOf(work);
    },
    options,
  );
}
