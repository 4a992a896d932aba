import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** One process that runs bareWait and its activity, with the limits of our own worker; says how many activities it ran. */
const [address = '', namespace = '', taskQueue = ''] = process.argv.slice(2);
let ran = 0;
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
  activities: {
    nothing: async () => {
      ran += 1;
    },
  },
  maxCachedWorkflows: 500,
  maxConcurrentActivityTaskExecutions: 50,
});
setInterval(() => process.send?.({ ran }), 20);
process.send?.({ ready: true });
await worker.run();
