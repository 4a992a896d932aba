import type { Mailbox } from '../base/model.ts';
import type { ComplaintReport } from '../feedback/delivery-reports/arf.ts';
import type { MailKind } from '../feedback/delivery-reports/dsn.ts';
import type { AuthVerdict, InboundMessage } from './model.ts';

/** What is stored as it stands in the mail. */
type Read = Pick<
  InboundMessage,
  'headers' | 'messageId' | 'inReplyTo' | 'references' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'text' | 'html'
>;

/** A mail as it was read, with every text cut to a length that can be stored. */
export interface ParsedMail extends Read {
  from: Mailbox | null;
  files: ParsedFile[];
  /** The feedback report in the mail. */
  complaint: ComplaintReport | null;
  /** What the mail means when it came to a return path. */
  returned: MailKind;
  /** Of everything below the header: tells two mails of one Message-ID apart. */
  bodyHash: string;
}

export interface ParsedFile {
  fileName: string;
  contentType: string;
  contentId: string | null;
  bytes: Uint8Array;
}

export interface MailVerdicts {
  spf: AuthVerdict;
  dkim: AuthVerdict;
  dmarc: AuthVerdict;
  /** The address of the only From, as it was checked, when the mail passes DMARC. */
  author: string | null;
  /** false: DNS did not answer, and another time the verdicts may differ. */
  isFinal: boolean;
}

/** What the SMTP dialogue said. */
export interface InboundEnvelope {
  /** '' for the null sender. */
  mailFrom: string;
  remoteAddress: string;
  helo: string;
}

/** Both run apart from the rest of the process: a mail may be made to break whoever reads it. */
export interface MailReader {
  /** null: it cannot be read, or not within limits. */
  parse(bytes: Buffer, envelope: Pick<InboundEnvelope, 'mailFrom' | 'remoteAddress'>): Promise<ParsedMail | null>;
  /** NONE where nobody can tell. */
  verify(bytes: Buffer, envelope: InboundEnvelope): Promise<MailVerdicts>;
  close(): Promise<void>;
}
