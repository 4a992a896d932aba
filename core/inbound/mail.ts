import type { Mailbox } from '../base/model.ts';
import type { ComplaintReport } from '../mail/feedback/delivery-reports/arf.ts';
import type { MailKind } from '../mail/feedback/delivery-reports/dsn.ts';
import type { AuthVerdict, InboundMessage } from './model.ts';

/** Fields that are stored as they are in the mail. */
type Read = Pick<
  InboundMessage,
  'headers' | 'messageId' | 'inReplyTo' | 'references' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'text' | 'html'
>;

/** A parsed mail, with every text cut to a length that can be stored. */
export interface ParsedMail extends Read {
  from: Mailbox | null;
  files: ParsedFile[];
  /** The feedback report in the mail. */
  complaint: ComplaintReport | null;
  /** The kind of mail, when it came to a return path. */
  returned: MailKind;
  /** Of everything below the header: distinguishes two mails with one Message-ID. */
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
  /** The checked address of the only From, when the mail passes DMARC. */
  author: string | null;
  /** false: DNS did not answer, and a later check may give another result. */
  isFinal: boolean;
}

/** Data of the SMTP dialogue. */
export interface InboundEnvelope {
  /** '' for the null sender. */
  mailFrom: string;
  remoteAddress: string;
  helo: string;
}

/** Both run in threads of their own, since a mail may be made to break its reader, and reject with TooMuch. */
export interface MailReader {
  /** null: it cannot be read. */
  parse(bytes: Buffer, envelope: Pick<InboundEnvelope, 'mailFrom' | 'remoteAddress'>): Promise<ParsedMail | null>;
  /** NONE when no result can be determined. */
  verify(bytes: Buffer, envelope: InboundEnvelope): Promise<MailVerdicts>;
  close(): Promise<void>;
}
