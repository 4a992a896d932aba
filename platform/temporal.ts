import type { Client } from '@temporalio/client';
import type { Config } from '../schemas/config.ts';

export interface Temporal {
  /** Loads the client with the first call: its protocol takes twenty megabytes, and most processes never ask. */
  client(): Promise<Client>;
  close(): Promise<void>;
}

/** Connects with the first call, so a process starts and runs without Temporal, and reconnects when it is back. */
export function openTemporal(config: Pick<Config, 'temporalAddress' | 'temporalNamespace'>): Temporal {
  let opened: Promise<Client> | undefined;
  return {
    client: () => {
      opened ??= open(config);
      return opened;
    },
    close: async () => (await opened)?.connection.close(),
  };
}

async function open(config: Pick<Config, 'temporalAddress' | 'temporalNamespace'>): Promise<Client> {
  const { Client, Connection } = await import('@temporalio/client');
  const connection = Connection.lazy({
    address: config.temporalAddress,
    connectTimeout: '3s',
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 },
  });
  return new Client({ connection, namespace: config.temporalNamespace });
}
