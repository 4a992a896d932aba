import { LINK_SECONDS } from '../core/inbound-attachments.ts';
import type { InboundAttachment, InboundMessage } from '../core/model.ts';

export function presentInbound(message: InboundMessage) {
  const { _id, messageId, domainName, from, to, cc, bcc, replyTo, subject, text, html, headers } = message;
  const { spfVerdict, dkimVerdict, dmarcVerdict, status, threadId, inReplyTo, receivedAt } = message;
  return {
    id: _id,
    ...{ messageId, domainName, from, to, cc, bcc, replyTo, subject, text, html },
    attachments: message.attachments.map((one, index) => ({ ...presentFile(one), index })),
    headers,
    // Nothing scans the mail.
    spamVerdict: 'NONE',
    virusVerdict: 'NONE',
    ...{ spfVerdict, dkimVerdict, dmarcVerdict, status, threadId, inReplyTo },
    inReplyToEmailActivityId: message.inReplyToEmailActivityId,
    inReplyToInboundEmailId: message.inReplyToInboundEmailId,
    receivedAt,
  };
}

export function presentAttachmentLink(attachment: InboundAttachment, downloadUrl: string) {
  return { ...presentFile(attachment), downloadUrl, expiresIn: LINK_SECONDS };
}

function presentFile({ fileId, fileName, contentType, sizeBytes }: InboundAttachment) {
  return { attachmentId: fileId, filename: fileName, contentType, size: sizeBytes };
}
