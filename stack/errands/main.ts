import { StackError } from '../output.ts';
import { errands } from './errands.ts';
import type { Done, Errand } from './run.ts';

process.on('message', async ({ id, name, args }: Errand) => {
  const run = errands[name] as (...given: unknown[]) => Promise<unknown>;
  const done: Done = await run(...args).then(
    (result) => ({ id, result }),
    (error: Error) => ({ id, fault: faultOf(error) }),
  );
  if (process.connected) process.send?.(done);
});
process.on('disconnect', () => process.exit(0));

function faultOf(error: Error): Done['fault'] {
  return { message: error.message, stack: error.stack, isForPeople: error instanceof StackError };
}
