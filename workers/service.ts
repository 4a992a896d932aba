/** Part of a worker process that runs without Temporal. */
export interface Service {
  name: string;
  /** Resolves when the service works. */
  ready: Promise<void>;
  /** Takes nothing new and finishes work in progress, in 8 seconds at most. */
  stop(): Promise<void>;
}
