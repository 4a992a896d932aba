import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import { derivedId } from '../base/ids.ts';
import type { Cell } from '../outbox/counting/tally.ts';
import type { Message } from '../outbox/model.ts';
import type { ReportCounts } from './model.ts';

export interface Origin {
  source: string;
  /** The sending domain; null where it is not known. */
  domain: string | null;
}

interface Change {
  source: string;
  at: Date;
  inc: Record<string, number>;
  texts: Record<string, string>;
}

const NO_REPLY = 'none';

export function sourceOf({ campaignId, automationId, lane }: Pick<Message, 'campaignId' | 'automationId' | 'lane'>) {
  if (campaignId) return campaignSource(campaignId);
  return automationId ? automationSource(automationId) : `lane:${lane}`;
}

export function campaignSource(id: ObjectId): string {
  return `campaign:${id.toHexString()}`;
}

export function automationSource(id: ObjectId): string {
  return `automation:${id.toHexString()}`;
}

/** Names of domains and codes of replies as keys of a document. */
export function keyOf(text: string): string {
  return text.replaceAll('.', ',') || NO_REPLY;
}

export function nameOf(key: string): string {
  return key === NO_REPLY ? '' : key.replaceAll(',', '.');
}

/** Gathers cells into changes of the documents of one count of a project. */
export class Documents {
  readonly #projectId: ObjectId;
  readonly #count: number;
  readonly #changes = new Map<string, Change>();

  constructor(projectId: ObjectId, count: number) {
    this.#projectId = projectId;
    this.#count = count;
  }

  get size(): number {
    return this.#changes.size;
  }

  add({ source, domain }: Origin, { at, provider, counts, replies = [] }: Cell): void {
    const { inc, texts } = this.#changeOf(source, at);
    const paths = [`providers.${provider}`, 'counts', ...(domain ? [`domains.${keyOf(domain)}`] : [])];
    for (const [did, by] of Object.entries(counts))
      for (const path of paths) inc[`${path}.${did}`] = (inc[`${path}.${did}`] ?? 0) + by;
    for (const { reply, count, text } of replies) {
      const path = `providers.${provider}.replies.${keyOf(reply)}`;
      inc[`${path}.count`] = (inc[`${path}.count`] ?? 0) + count;
      if (text) texts[`${path}.text`] = text;
    }
  }

  /** Empties it. */
  writes(): AnyBulkWriteOperation<ReportCounts>[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes.map(({ source, at, inc, texts }) => ({
      updateOne: {
        filter: { _id: this.#idOf(source, at), projectId: this.#projectId },
        update: { $setOnInsert: { count: this.#count, source, at }, $inc: inc, $set: texts },
        upsert: true,
      },
    }));
  }

  #changeOf(source: string, at: Date): Change {
    const key = `${source} ${at.getTime()}`;
    const known = this.#changes.get(key);
    if (known) return known;
    const change: Change = { source, at, inc: {}, texts: {} };
    this.#changes.set(key, change);
    return change;
  }

  #idOf(source: string, at: Date): ObjectId {
    return derivedId(at, 'report', this.#projectId.toHexString(), this.#count, source, at.getTime());
  }
}
