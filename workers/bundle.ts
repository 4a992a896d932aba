import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

/** `node workers/bundle.ts` prints the workflows as one script on standard output, and its complaints on standard error. */
const silent = () => undefined;
const complain = (message: string, fields?: object) => console.error(message, fields ?? '');
const logger: Logger = {
  ...{ log: silent, trace: silent, debug: silent, info: silent },
  ...{ warn: complain, error: complain },
};

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath, logger });
process.stdout.write(code);
