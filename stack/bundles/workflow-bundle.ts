import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from '../output.ts';
import { runCommand } from '../processes/run.ts';

const script = join(import.meta.dirname, '../../workers/bundle.ts');

/** Made once for all the worker processes that are going to be started with what it returns. */
export async function bundleWorkflows(folder: string): Promise<{ WORKFLOW_BUNDLE: string }> {
  const { code, stdout, stderr } = await runCommand(process.execPath, [script], process.env);
  if (code !== 0) throw new StackError(`The workflows could not be bundled:\n${stderr}`);
  const file = join(folder, 'workflows.js');
  writeFileSync(file, stdout);
  return { WORKFLOW_BUNDLE: file };
}
