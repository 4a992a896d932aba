/** Work that threads do, with its limits. Work for strangers' bytes has to be one of these kinds to be done in a thread. */
export interface Kind {
  /** Exports `work`, which runs in the thread. */
  module: URL;
  /** At a time. */
  threads: number;
  /** Tasks that one thread does at a time; more than one is for work that mostly waits. */
  together: number;
  /** CPU time of a task; of a thread with several tasks, for which it gives no sign of life. */
  cpuMs: number;
  cpuMsPerMegabyte: number;
  /** Of all tasks that wait or run. */
  bytesMax: number;
  /** Of all tasks that wait or run for one client, where tasks name theirs. */
  bytesPerClientMax: number;
  /** A task of more than this is large, and one large task runs at a time; for kinds with several threads. */
  largeBytes?: number;
  heapMb: number;
  /** A thread grows by this much before anything is collected. */
  nurseryMb?: number;
}

const MB = 1024 * 1024;
/** With the 64 MB that a thread may have, each would grow by that much before anything is collected. */
const NURSERY_MB = 8;

export const KINDS = {
  /** Encoding, tracking and signing mail of up to 60 MiB: that takes a second and a half, whatever is in it. */
  largeMails: {
    module: new URL('../dkim/large-messages-worker.ts', import.meta.url),
    ...{ threads: 1, together: 1 },
    ...{ cpuMs: 2_000, cpuMsPerMegabyte: 100 },
    ...{ bytesMax: 256 * MB, bytesPerClientMax: 256 * MB },
    // The encoded texts of the largest mail a few times over.
    heapMb: 384,
  },
  /** Signing composed mail in batches, for campaigns. The budget for composing counts its bytes. */
  signatures: {
    module: new URL('../dkim/worker.ts', import.meta.url),
    ...{ threads: 1, together: 4 },
    ...{ cpuMs: 10_000, cpuMsPerMegabyte: 100 },
    ...{ bytesMax: 1_024 * MB, bytesPerClientMax: 1_024 * MB },
    heapMb: 384,
  },
  /** Parsing the JSON of a request over 1 MiB, of up to 60 MiB. */
  jsonBody: {
    module: new URL('../../api/http/body/json-worker.ts', import.meta.url),
    ...{ threads: 1, together: 1 },
    ...{ cpuMs: 2_000, cpuMsPerMegabyte: 200 },
    ...{ bytesMax: 128 * MB, bytesPerClientMax: 128 * MB },
    heapMb: 768,
  },
  /** Parsing a mail that comes in, or that a person looks at, of up to 60 MiB. */
  readMail: {
    module: new URL('../inbound/parse-worker.ts', import.meta.url),
    ...{ threads: 2, together: 1 },
    ...{ cpuMs: 3_000, cpuMsPerMegabyte: 400 },
    ...{ bytesMax: 96 * MB, bytesPerClientMax: 48 * MB },
    // Reading a mail takes eight times its bytes.
    largeBytes: 8 * MB,
    ...{ heapMb: 256, nurseryMb: NURSERY_MB },
  },
  /** SPF, DKIM and DMARC of a mail that comes in: nearly all of it is waiting for DNS. */
  verifyMail: {
    module: new URL('../inbound/verify-worker.ts', import.meta.url),
    ...{ threads: 2, together: 50 },
    ...{ cpuMs: 1_000, cpuMsPerMegabyte: 250 },
    // All of them are in its threads at once, as copies.
    ...{ bytesMax: 32 * MB, bytesPerClientMax: 16 * MB },
    ...{ heapMb: 256, nurseryMb: NURSERY_MB },
  },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

/** The CPU time that a task of this size may take. */
export function cpuMsMax({ cpuMs, cpuMsPerMegabyte }: Kind, bytes: number): number {
  return cpuMs + (cpuMsPerMegabyte * bytes) / MB;
}
