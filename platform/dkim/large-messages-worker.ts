import { writePieces } from '../../core/mail/compose/mime/entities.ts';
import { trackedPieces } from '../../core/mail/compose/tracking.ts';
import { wireLines } from '../smtp/message-bytes.ts';
import type { LargeMessage } from './large-messages.ts';
import { signMessage } from './sign.ts';

export function work({ pieces, keys, seconds }: LargeMessage): Uint8Array<ArrayBuffer> {
  const text = writePieces(pieces.flatMap((piece) => trackedPieces(piece)));
  const whole = wireLines(signMessage(text, keys, new Date(seconds * 1_000)) + text);
  const bytes = Buffer.alloc(whole.length);
  bytes.write(whole, 'latin1');
  return bytes;
}

export function transfer(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer[] {
  return [bytes.buffer];
}
