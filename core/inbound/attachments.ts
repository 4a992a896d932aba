import { createHmac, timingSafeEqual } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { HeldBytes } from '../base/held-bytes.ts';
import type { Project } from '../base/model.ts';
import { secretKeyBytes } from '../base/secrets.ts';
import { type OpenFile, openFile } from '../mail/messages/contents.ts';
import type { InboundDeps } from './deps.ts';
import { getInbound, noSuchMessage } from './messages.ts';
import type { InboundAttachment } from './model.ts';

export const LINK_SECONDS = 900;
const MAC_BYTES = 16;
const PAYLOAD_BYTES = 12 + 12 + 12 + 4;

/** `ref` is the index of an attachment, or its id. */
export async function findAttachment(
  deps: InboundDeps,
  project: Project,
  id: string,
  ref: string,
): Promise<{ attachment: InboundAttachment; downloadUrl: string }> {
  const message = await getInbound(deps, project, id);
  const byIndex = /^\d{1,4}$/.test(ref) ? message.attachments[Number(ref)] : undefined;
  const attachment = byIndex ?? message.attachments.find(({ fileId }) => fileId.toHexString() === ref.toLowerCase());
  if (!attachment) throw noSuchMessage();
  const until = Math.floor(deps.clock.now().getTime() / 1000) + LINK_SECONDS;
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  Buffer.concat([project._id.id, message._id.id, attachment.fileId.id]).copy(payload);
  payload.writeUInt32BE(until, PAYLOAD_BYTES - 4);
  const token = Buffer.concat([macsOf(deps, payload)[0]!, payload]).toString('base64url');
  return { attachment, downloadUrl: `${deps.config.publicUrl}/media/inbound/${token}` };
}

/** The file behind a signed link; null when the link is not ours or too old, or the file is gone. */
export async function openAttachment(
  deps: InboundDeps,
  token: string,
  held: HeldBytes,
): Promise<{ attachment: InboundAttachment; file: OpenFile } | null> {
  const bytes = /^[\w-]{1,200}$/.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== MAC_BYTES + PAYLOAD_BYTES || bytes.toString('base64url') !== token) return null;
  const [mac, payload] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
  if (!macsOf(deps, payload).some((right) => timingSafeEqual(mac, right))) return null;
  if (payload.readUInt32BE(PAYLOAD_BYTES - 4) * 1000 < deps.clock.now().getTime()) return null;
  const [projectId, messageId, fileId] = [0, 12, 24].map((at) => new ObjectId(payload.subarray(at, at + 12))) as [
    ObjectId,
    ObjectId,
    ObjectId,
  ];
  const message = await deps.db.inboundMessages.findOne({ _id: messageId, projectId });
  const attachment = message?.attachments.find((one) => one.fileId.equals(fileId));
  const file = attachment && (await openFile(deps, { projectId, fileId }, held));
  return file ? { attachment, file } : null;
}

/** By every key of the installation; the first one is the one that signs. */
function macsOf({ config }: Pick<InboundDeps, 'config'>, payload: Buffer): Buffer[] {
  return secretKeyBytes(config).map((key) =>
    createHmac('sha256', key).update('inbound attachment\u0000').update(payload).digest().subarray(0, MAC_BYTES),
  );
}
