import { join } from 'node:path';
import { StackError } from '../output.ts';
import { runCommand } from '../processes/run.ts';

const script = join(import.meta.dirname, '../../api/console/bundle.ts');

/** Made once for all the API processes that are going to be started with what it returns. */
export async function bundleConsole(folder: string): Promise<{ CONSOLE_BUNDLE: string }> {
  const bundle = join(folder, 'console');
  const { code, stderr } = await runCommand(process.execPath, [script, bundle], process.env);
  if (code !== 0) throw new StackError(`The console could not be bundled:\n${stderr}`);
  return { CONSOLE_BUNDLE: bundle };
}
