import { ObjectId } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import { readSignedToken, signedToken } from '../mail/compose/tokens.ts';

type Keys = Pick<Config, 'secretKeys'>;

/** The page of a form, as it was shown. */
export interface Stamp {
  formId: ObjectId;
  shownAt: Date;
  /** Of the sentence that the person agrees to. */
  textVersion: string;
}

export interface PendingRef {
  projectId: ObjectId;
  pendingId: ObjectId;
}

const ID_BYTES = 12;
const TIME_BYTES = 6;
const VERSION_BYTES = 6;

/** A hidden field of the page: when the page was shown, and what it said. */
export function stampOf(config: Keys, { formId, shownAt, textVersion }: Stamp): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(shownAt.getTime(), 0, TIME_BYTES);
  return signedToken(config, 'form stamp', Buffer.concat([formId.id, time, Buffer.from(textVersion, 'hex')]));
}

export function readStamp(config: Keys, text: string): Stamp | null {
  const payload = readSignedToken(config, 'form stamp', text);
  if (payload?.length !== ID_BYTES + TIME_BYTES + VERSION_BYTES) return null;
  return {
    formId: new ObjectId(payload.subarray(0, ID_BYTES)),
    shownAt: new Date(payload.readUIntBE(ID_BYTES, TIME_BYTES)),
    textVersion: payload.toString('hex', ID_BYTES + TIME_BYTES),
  };
}

/** /f/confirm/<token>: the same in each mail about the same pending subscription. */
export function confirmToken(config: Keys, { projectId, pendingId }: PendingRef): string {
  return signedToken(config, 'form confirm', Buffer.concat([projectId.id, pendingId.id]));
}

export function readConfirmToken(config: Keys, text: string): PendingRef | null {
  const payload = readSignedToken(config, 'form confirm', text);
  if (payload?.length !== 2 * ID_BYTES) return null;
  const [projectId, pendingId] = [payload.subarray(0, ID_BYTES), payload.subarray(ID_BYTES)];
  return { projectId: new ObjectId(projectId), pendingId: new ObjectId(pendingId) };
}
