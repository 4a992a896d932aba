/** Part of a worker process that runs without Temporal. */
export interface Service {
  name: string;
  /** Resolves when it really works. */
  ready: Promise<void>;
  /** Takes nothing new and finishes what is under way, in 8 seconds at most. */
  stop(): Promise<void>;
}
