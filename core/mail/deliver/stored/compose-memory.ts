import { ATTACHMENT_BYTES_MAX } from '../../../../schemas/mail/mails.ts';
import type { Attachment, Content } from '../../ledger/model.ts';

/** Mails smaller than this never wait for larger ones. */
const SMALL_MAIL_BYTES = 1_000_000;
/** A file behind a URL whose size is not known is fetched as one of this size; a larger one is fetched again as a large mail. */
export const FIRST_FETCH_BYTES = 500_000;
const KEPT_FOR_SMALL_BYTES = 16_000_000;
/**
 * The copies of a mail in memory: attachments, their base64 text, the signed message, and the data being written to the relay.
 */
const COPIES = 4;
/** The most large mails that wait in this process; others are claimed again later. */
const WAITING_MAX = 4;

export interface Reservation {
  release(): void;
}

/** Limits the bytes that a process uses for composing and sending. */
export interface ComposingMemory {
  /** Null when the mail has to wait. */
  take(mailBytes: number): Reservation | null;
  /** In the order of the calls. Null when too many large mails wait already, or the process stops. */
  wait(mailBytes: number): Promise<Reservation | null>;
  /** The same for a mail of a campaign, which waits until there is room: the campaign has it in hand. */
  waitInCampaign(mailBytes: number): Promise<Reservation | null>;
  heldBytes(): number;
  close(): void;
}

/** Mails of campaigns that wait for memory have a queue of their own, so that no single mail waits behind them. */
type Size = 'small' | 'large' | 'campaign';
/** In this order as memory becomes free. */
const SERVED: readonly Size[] = ['large', 'campaign', 'small'];
type Waiter = { bytes: number; resolve: (reservation: Reservation | null) => void };

/**
 * Large mails and those of campaigns share the budget less a reserve for small ones; a mail larger than that is sent when no other
 * one of them is.
 */
export function openComposingMemory(budgetBytes: number): ComposingMemory {
  const held: Record<Size, number> = { small: 0, large: 0, campaign: 0 };
  const waiting: Record<Size, Waiter[]> = { small: [], large: [], campaign: [] };
  let isClosed = false;

  function fits(size: Size, bytes: number): boolean {
    const heldOfBudget = held.large + held.campaign;
    if (size !== 'small') {
      const kept = Math.max(KEPT_FOR_SMALL_BYTES, held.small);
      const isAlone = heldOfBudget === 0 && held.small <= KEPT_FOR_SMALL_BYTES;
      // One at a time, so that a large mail that needs all of it has its turn.
      if (size === 'campaign' && waiting.large.length > 0 && held.campaign > 0) return false;
      return kept + heldOfBudget + bytes <= budgetBytes || isAlone;
    }
    const othersWait = waiting.large.length + waiting.campaign.length > 0;
    const mayUseAll = !othersWait && held.small + heldOfBudget + bytes <= budgetBytes;
    return held.small === 0 || held.small + bytes <= KEPT_FOR_SMALL_BYTES || mayUseAll;
  }

  function hold(size: Size, bytes: number): Reservation {
    held[size] += bytes;
    let isHeld = true;
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        held[size] -= bytes;
        for (const each of SERVED) serve(each);
      },
    };
  }

  function serve(size: Size): void {
    for (let next = waiting[size][0]; next && fits(size, next.bytes); next = waiting[size][0]) {
      waiting[size].shift();
      next.resolve(hold(size, next.bytes));
    }
  }

  function queue(size: Size, bytes: number): Promise<Reservation | null> {
    const promise = new Promise<Reservation | null>((resolve) => waiting[size].push({ bytes, resolve }));
    serve(size);
    return promise;
  }

  return {
    take(mailBytes) {
      const [size, bytes] = [sizeOf(mailBytes), mailBytes * COPIES];
      return !isClosed && waiting[size].length === 0 && fits(size, bytes) ? hold(size, bytes) : null;
    },
    wait(mailBytes) {
      const [size, bytes] = [sizeOf(mailBytes), mailBytes * COPIES];
      const isRefused = isClosed || (size === 'large' && waiting.large.length >= WAITING_MAX);
      return isRefused ? Promise.resolve(null) : queue(size, bytes);
    },
    waitInCampaign: (mailBytes) => (isClosed ? Promise.resolve(null) : queue('campaign', mailBytes * COPIES)),
    heldBytes: () => held.small + held.large + held.campaign,
    close() {
      isClosed = true;
      for (const size of SERVED) for (const { resolve } of waiting[size].splice(0)) resolve(null);
    },
  };
}

export function isLarge(mailBytes: number): boolean {
  return sizeOf(mailBytes) === 'large';
}

/** An estimate for a mail whose attachments are not read yet. */
export function mailBytes({
  html,
  text,
  attachments,
  pictures = [],
}: Pick<Content, 'html' | 'text' | 'attachments' | 'pictures'>): number {
  const shown = pictures.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const body = (html?.length ?? 0) + (text?.length ?? 0) + shown;
  return attachments.reduce((sum, attachment) => sum + attachmentBytes(attachment), body);
}

function attachmentBytes({ sizeBytes, isLarge: isKnownLarge }: Attachment): number {
  return sizeBytes ?? (isKnownLarge ? ATTACHMENT_BYTES_MAX : FIRST_FETCH_BYTES);
}

function sizeOf(mailBytes: number): Size {
  return mailBytes < SMALL_MAIL_BYTES ? 'small' : 'large';
}
