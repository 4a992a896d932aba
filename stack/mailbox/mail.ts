import PostalMime, { type Address, type Email } from 'postal-mime';

export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
}

export interface Person {
  readonly address: string;
  readonly name: string;
}

export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly disposition: string | null;
  readonly contentId: string | null;
  readonly size: number;
  readonly url: string;
}

export interface Mail {
  readonly id: string;
  readonly receivedAt: string;
  readonly envelope: Envelope;
  readonly from: Person | null;
  readonly to: readonly Person[];
  readonly cc: readonly Person[];
  readonly replyTo: readonly Person[];
  readonly subject: string;
  readonly messageId: string | null;
  readonly date: string | null;
  readonly html: string | null;
  readonly text: string | null;
  /** Lower-case names; a header that comes more than once is a list. */
  readonly headers: Record<string, string | string[]>;
  readonly attachments: readonly Attachment[];
}

export interface Received {
  readonly envelope: Envelope;
  readonly receivedAt: string;
}

export async function parseMail(id: string, { envelope, receivedAt }: Received, raw: Buffer): Promise<Mail> {
  const email = await PostalMime.parse(raw);
  return {
    id,
    receivedAt,
    envelope,
    from: people(email.from && [email.from])[0] ?? null,
    to: people(email.to),
    cc: people(email.cc),
    replyTo: people(email.replyTo),
    subject: email.subject ?? '',
    messageId: email.messageId ?? null,
    date: email.date ?? null,
    html: email.html ?? null,
    text: email.text ?? null,
    headers: headersOf(email),
    attachments: email.attachments.map((attachment, index) => ({
      filename: attachment.filename ?? `attachment-${index + 1}`,
      contentType: attachment.mimeType,
      disposition: attachment.disposition,
      contentId: attachment.contentId?.replace(/^<|>$/g, '') ?? null,
      size: bytesOf(attachment.content).length,
      url: `/email/${id}/attachments/${index}`,
    })),
  };
}

export async function attachmentContents(raw: Buffer): Promise<Buffer[]> {
  return (await PostalMime.parse(raw)).attachments.map(({ content }) => bytesOf(content));
}

function bytesOf(content: ArrayBuffer | Uint8Array | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer as ArrayBuffer, content.byteOffset, content.byteLength);
}

function people(addresses: readonly Address[] | undefined): Person[] {
  const mailboxes = (addresses ?? []).flatMap((entry) => entry.group ?? [entry]);
  return mailboxes.map(({ address, name }) => ({ address: address ?? '', name }));
}

function headersOf({ headers }: Email): Record<string, string | string[]> {
  const byName = Map.groupBy(headers, ({ key }) => key);
  const entries = [...byName].map(([name, lines]) => {
    const values = lines.map(({ value }) => value);
    return [name, values.length === 1 ? values[0] : values];
  });
  return Object.fromEntries(entries);
}
