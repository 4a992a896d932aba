import type { Deps } from '../../core/base/deps.ts';
import { LINK_SECONDS } from '../../core/inbound/attachments.ts';
import type { InboundAttachment, InboundMessage } from '../../core/inbound/model.ts';
import { previewLink } from '../../core/mail/previews/links.ts';

export function presentInbound(message: InboundMessage) {
  const { _id, messageId, domainName, from, to, cc, bcc, replyTo, subject, text, html } = message;
  const { spfVerdict, dkimVerdict, dmarcVerdict, status, threadId, inReplyTo, receivedAt } = message;
  return {
    id: _id,
    ...{ messageId, domainName, from, to, cc, bcc, replyTo, subject, text, html },
    attachments: message.attachments.map((one, index) => ({ ...presentFile(one), index })),
    attachmentCount: message.attachments.length,
    headers: headersByName(message.headers),
    headerList: message.headers,
    // There is no spam scanner.
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

export function presentInboundPreview(
  deps: Pick<Deps, 'config' | 'clock'>,
  { _id: id, projectId }: InboundMessage,
  pictures: boolean,
) {
  return { ...previewLink(deps, { projectId, kind: 'inbound', id, withPictures: pictures }), pictures };
}

/** By lower-case name, since names are case-insensitive; the values of a repeated header are joined. */
function headersByName(headers: InboundMessage['headers']): Record<string, string> {
  const byName = Map.groupBy(headers, ({ name }) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, same]) => [name, same.map(({ value }) => value).join(', ')]));
}

function presentFile({ fileId, fileName, contentType, sizeBytes }: InboundAttachment) {
  return { attachmentId: fileId, filename: fileName, contentType, size: sizeBytes };
}
