import type { DkimKey, LargePiece, TrackedMail } from '../../core/mail/ledger/relay.ts';
import type { Kind } from '../threads/kinds.ts';
import { createPool } from '../threads/pool.ts';

export interface LargeMessage {
  pieces: readonly (LargePiece | TrackedMail)[];
  keys: readonly DkimKey[];
  seconds: number;
}

/** Encodes, tracks and signs messages in a thread of their own, one after the other: 40 MiB take half a second. */
export function createLargeMessages(limits: Partial<Kind>) {
  const pool = createPool<LargeMessage, Uint8Array>('largeMails', { limits });
  return {
    async write(pieces: LargeMessage['pieces'], keys: readonly DkimKey[], at: Date): Promise<Buffer> {
      const seconds = Math.floor(at.getTime() / 1_000);
      const bytes = pieces.reduce((sum, piece) => sum + bytesOf(piece), 0);
      const whole = await pool.run({ pieces, keys, seconds }, { bytes });
      return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
    },
    close: () => pool.close(),
  };
}

function bytesOf(piece: LargePiece | TrackedMail): number {
  if (typeof piece === 'string' || piece instanceof Uint8Array) return piece.length;
  return 'asIs' in piece ? piece.asIs.length : piece.tracked.length;
}
