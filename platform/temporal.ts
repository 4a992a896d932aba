import { Client, Connection } from '@temporalio/client';
import type { Config } from '../schemas/config.ts';

interface Temporal {
  client: Client;
  close(): Promise<void>;
}

/** Connects with the first call, so a process starts and runs without Temporal, and reconnects when it is back. */
export function openTemporal(config: Pick<Config, 'temporalAddress' | 'temporalNamespace'>): Temporal {
  const connection = Connection.lazy({
    address: config.temporalAddress,
    connectTimeout: '3s',
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 },
  });
  const client = new Client({ connection, namespace: config.temporalNamespace });
  return { client, close: () => connection.close() };
}
