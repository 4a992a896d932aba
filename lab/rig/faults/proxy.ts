import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Faults of a network. Each field may change while connections are open. */
export interface NetworkFaults {
  /** New connections are refused, and open ones are cut off. */
  isOff: boolean;
  /** Each way, with up to as much again at random. */
  latencyMs: number;
  /** Answers are dropped, and connections stay open without an error. */
  isDeaf: boolean;
  /** Cut off after so many bytes to the server. */
  cutAfterBytes: number | null;
  /** Cut off, reset, after so long. */
  cutAfterMs: number | null;
  /** Bytes a second towards the server. */
  bytesPerSecond: number | null;
  /** Pieces of so many bytes. */
  sliceBytes: number | null;
  /** Held open so long after the server has closed. */
  closeAfterMs: number;
}

export interface Cable {
  port: number;
  faults: NetworkFaults;
  set(faults: Partial<NetworkFaults>): void;
  /** Everybody who is in is cut off; who comes then is let in. */
  cut(): void;
  stop(): void;
}

export function noFaults(): NetworkFaults {
  return {
    ...{ isOff: false, latencyMs: 0, isDeaf: false, cutAfterBytes: null, cutAfterMs: null },
    ...{ bytesPerSecond: null, sliceBytes: null, closeAfterMs: 0 },
  };
}

const SLICE_EVERY_MS = 1;

/** A proxy between our processes and a server. Bytes not yet passed on when one side closes are lost, as when a cable is pulled. */
export async function startProxy(targetPort: number): Promise<Cable> {
  const faults = noFaults();
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((client) => {
    if (faults.isOff) return client.destroy();
    const there = connect(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [client, there];
    pairs.add(pair);
    const cut = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.resetAndDestroy();
    };
    for (const socket of pair) socket.setNoDelay(true).on('error', cut);
    client.on('close', cut);
    there.on('close', () => setTimeout(cut, faults.closeAfterMs));
    let passed = 0;
    carry(client, there, faults, (bytes) => {
      passed += bytes;
      if (faults.cutAfterBytes !== null && passed > faults.cutAfterBytes) cut();
    });
    carry(
      there,
      client,
      faults,
      () => {},
      () => faults.isDeaf,
    );
    if (faults.cutAfterMs !== null) setTimeout(cut, faults.cutAfterMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    pairs.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    faults,
    set(changes) {
      Object.assign(faults, changes);
      if (faults.isOff) cutAll();
    },
    cut: cutAll,
    stop() {
      server.close();
      cutAll();
    },
  };
}

/** In order, one piece after the other, as late and as slowly as the faults say. */
function carry(
  from: Socket,
  to: Socket,
  faults: NetworkFaults,
  onPassed: (bytes: number) => void,
  isHeld: () => boolean = () => false,
): void {
  let under = Promise.resolve();
  from.on('data', (chunk: Buffer) => {
    from.pause();
    under = under.then(async () => {
      for (const piece of slices(chunk, faults)) {
        const waitMs = delayMs(piece.length, faults);
        if (waitMs > 0) await sleep(waitMs);
        if (from.destroyed || to.destroyed) return;
        if (!isHeld()) to.write(piece);
        onPassed(piece.length);
      }
      from.resume();
    });
  });
}

function slices(chunk: Buffer, { sliceBytes, bytesPerSecond, cutAfterBytes }: NetworkFaults): Buffer[] {
  const size = sliceBytes ?? (bytesPerSecond === null && cutAfterBytes === null ? chunk.length : 256);
  return Array.from({ length: Math.ceil(chunk.length / size) }, (_, index) =>
    chunk.subarray(index * size, (index + 1) * size),
  );
}

function delayMs(bytes: number, { latencyMs, bytesPerSecond, sliceBytes }: NetworkFaults): number {
  const latency = latencyMs > 0 ? latencyMs * (1 + Math.random()) : 0;
  const pace = bytesPerSecond === null ? 0 : (bytes / bytesPerSecond) * 1_000;
  return latency + pace + (sliceBytes === null ? 0 : SLICE_EVERY_MS);
}
