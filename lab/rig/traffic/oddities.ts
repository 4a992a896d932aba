/** Every fiftieth mail, in turn. */
const oddities = ['temp-rcpt-450', 'perm-rcpt-550-5.1.1', 'drop-after-dot', 'slow-1s'] as const;
const EVERY = 50;

export interface OddMail {
  mailTo(n: number): string;
  /** Mails that the relay was meant to refuse for good, and for now. */
  meant: { refused: number; deferred: number };
}

/** Recipients; some of them make the relay refuse, fall silent or take its time. */
export function oddMail(): OddMail {
  const meant = { refused: 0, deferred: 0 };
  return {
    meant,
    mailTo(n) {
      const oddity = n % EVERY === 0 ? oddities[(n / EVERY) % oddities.length] : undefined;
      if (oddity === 'temp-rcpt-450') meant.deferred += 1;
      if (oddity === 'perm-rcpt-550-5.1.1') meant.refused += 1;
      return `${oddity ?? 'm'}+${n}@in.test`;
    },
  };
}
