import { signMessage } from './sign.ts';
import type { Signed, Task } from './signer.ts';

/** Signs a batch. A message that cannot be signed fails alone. */
export function work(tasks: Task[]): Signed[] {
  return tasks.map(({ message, keys, seconds }) => {
    try {
      return { signature: signMessage(message, keys, new Date(seconds * 1_000)) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
}
