import { spawn } from 'node:child_process';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Bundling the workflows takes three seconds, and more than a minute on a machine with twenty processes at work. */
const patienceMs = 300_000;

/** Runs a short command to its end, in a group of its own, so that Ctrl-C is not taken for a fault of the command. */
export function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs });
  let stdout = '';
  let stderr = '';
  // A letter may end in the next chunk.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, stdout, stderr: error.message }));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
