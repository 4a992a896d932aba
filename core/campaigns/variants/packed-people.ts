import { ObjectId } from 'mongodb';
import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';

const BATCH = 2_000;
const ID_BYTES = 12;
const LENGTH_BYTES = 2;
const CHUNK_MIN = 4_096;
const CHUNK_MAX = 262_144;
/** A character is at most three bytes for each unit of a string. */
const BYTES_A_UNIT = 3;

/** Ids and addresses, one behind the other. */
export class PackedPeople {
  count = 0;
  #chunks: Buffer[] = [];
  #last = Buffer.alloc(0);
  #used = 0;

  add({ contactId, email }: BlockRecipient): void {
    const most = ID_BYTES + LENGTH_BYTES + email.length * BYTES_A_UNIT;
    if (this.#used + most > this.#last.length) this.#open(most);
    const at = this.#used;
    this.#last.set(contactId.id, at);
    const length = this.#last.write(email, at + ID_BYTES + LENGTH_BYTES);
    this.#last.writeUInt16LE(length, at + ID_BYTES);
    this.#used = at + ID_BYTES + LENGTH_BYTES + length;
    this.count += 1;
  }

  *batches(): Generator<BlockRecipient[]> {
    this.#close();
    let batch: BlockRecipient[] = [];
    for (const chunk of this.#chunks)
      for (let at = 0; at < chunk.length; ) {
        const from = at + ID_BYTES + LENGTH_BYTES;
        const to = from + chunk.readUInt16LE(at + ID_BYTES);
        const contactId = new ObjectId(Uint8Array.prototype.slice.call(chunk, at, at + ID_BYTES));
        batch.push({ contactId, email: chunk.toString('utf8', from, to) });
        at = to;
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
    if (batch.length > 0) yield batch;
  }

  #open(most: number): void {
    const size = Math.max(most, Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, this.#last.length * 2)));
    this.#close();
    this.#last = Buffer.allocUnsafe(size);
  }

  #close(): void {
    if (this.#used > 0) this.#chunks.push(this.#last.subarray(0, this.#used));
    this.#used = 0;
    this.#last = Buffer.alloc(0);
  }
}
