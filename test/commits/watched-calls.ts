import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { type Document, MongoServerSelectionError, type TopologyDescription } from 'mongodb';

/** The operations of the driver for one request of the server. */
export interface Watched {
  /** The commands that committed something, in their order: writes outside transactions, and the ends of transactions. */
  commits: string[];
  /** The reads that failed. */
  refused: string[];
}

interface Watching extends Watched {
  /** Reads fail after so many commits. */
  commitsUntilFailure: number;
  isAnswered: boolean;
}

interface Operation {
  commandName: string;
  ns: { toString(): string };
  session?: { inTransaction(): boolean };
  command?: Document;
}

type Execute = (client: unknown, operation: Operation, ...more: unknown[]) => Promise<unknown>;

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);
const watched = new AsyncLocalStorage<Watching>();
/** Every operation goes through this function of the driver, which its other modules look up with each call. */
const driver = createRequire(import.meta.url)('mongodb/lib/operations/execute_operation.js') as {
  executeOperation: Execute;
};

/** Looks at one request at a time. `stop` gives the driver and the server back as they were. */
export function watchCalls(server: Server) {
  const { executeOperation } = driver;
  const { emit } = server;
  const emitted = emit.bind(server) as (event: string, ...given: unknown[]) => boolean;
  let next: Watching | null = null;
  driver.executeOperation = async (client, operation, ...more) => {
    const call = watched.getStore();
    if (!call || call.isAnswered) return executeOperation(client, operation, ...more);
    const command = nameOf(operation);
    const name = `${command} ${operation.ns}`;
    const isWrite = WRITES.has(command);
    if (!isWrite && call.commits.length >= call.commitsUntilFailure) {
      call.refused.push(name);
      throw new MongoServerSelectionError('no server', {} as TopologyDescription);
    }
    const isCommit = isWrite ? !operation.session?.inTransaction() : command === 'commitTransaction';
    const result = await executeOperation(client, operation, ...more);
    if (isCommit) call.commits.push(name);
    return result;
  };
  server.emit = ((event: string, ...given: unknown[]) => {
    const call = event === 'request' ? next : null;
    if (!call) return emitted(event, ...given);
    next = null;
    return watched.run(call, () => emitted(event, ...given));
  }) as Server['emit'];
  return {
    /** The next request, whose reads fail after so many commits. */
    async during<T>(call: () => Promise<T>, commitsUntilFailure: number): Promise<T & Watched> {
      const watching: Watching = { commits: [], refused: [], commitsUntilFailure, isAnswered: false };
      next = watching;
      const answered = await call();
      watching.isAnswered = true;
      const { commits, refused } = watching;
      return { ...answered, commits, refused };
    },
    stop() {
      driver.executeOperation = executeOperation;
      server.emit = emit;
    },
  };
}

function nameOf({ commandName, command }: Operation): string {
  return commandName === 'runCommand' ? (Object.keys(command ?? {})[0] ?? '') : commandName;
}
