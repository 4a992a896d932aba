import { parentPort } from 'node:worker_threads';
import { writePieces } from '../../core/composing/mime/entities.ts';
import { wireLines } from '../smtp/message-bytes.ts';
import type { LargeMessage, LargeResult } from './large-messages.ts';
import { signMessage } from './sign.ts';

parentPort!.on('message', (message: LargeMessage) => {
  try {
    const bytes = written(message);
    parentPort!.postMessage({ id: message.id, bytes } satisfies LargeResult, [bytes.buffer]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    parentPort!.postMessage({ id: message.id, error: reason } satisfies LargeResult);
  }
});

function written({ pieces, keys, seconds }: LargeMessage): Uint8Array<ArrayBuffer> {
  const text = writePieces(pieces);
  const whole = wireLines(signMessage(text, keys, new Date(seconds * 1_000)) + text);
  const bytes = Buffer.alloc(whole.length);
  bytes.write(whole, 'latin1');
  return bytes;
}
