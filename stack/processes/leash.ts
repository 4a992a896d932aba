import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StackError } from '../output.ts';
import { type Child, describeExit, killIfThere, watchChild } from './child.ts';
import { openLog } from './log.ts';

/**
 * The shell holds the read end of a pipe that only this process can write to. When the pipe closes, also because this
 * process was killed, the shell stops the server: gently (again and again, one that is just starting may not hear it), and
 * after five seconds for good. It writes the server's pid to descriptor 4.
 */
const leash = `
"$@" </dev/null 3<&- 4>&- &
pid=$!
echo $pid >&4
exec 4>&-
trap 'kill $pid 2>/dev/null' TERM INT
{ read -r _; n=0; while [ $n -lt 50 ] && kill -0 $pid; do [ $((n % 10)) -eq 0 ] && kill $pid; sleep 0.1; n=$((n+1)); done; kill -9 $pid; } <&3 2>/dev/null &
reader=$!
code=0
while kill -0 $pid 2>/dev/null; do wait $pid; code=$?; done
kill $reader 2>/dev/null
exit $code`;

interface LeashOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
}

export async function startOnLeash({ command, args, logFile, env }: LeashOptions): Promise<Child> {
  const log = openLog(logFile);
  const shell = spawn('sh', ['-c', leash, 'sh', command, ...args], {
    stdio: ['ignore', log, log, 'pipe', 'pipe'],
    detached: true,
    env: env ?? process.env,
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    shell.on('exit', (code, signal) => resolve(describeExit(code, signal)));
    shell.on('error', (error) => resolve(error.message));
  });
  const pid = await readPid(shell.stdio[4] as Readable);
  if (!pid) throw new StackError(`${command} could not be started (${await exited}); see ${logFile}.`);
  // A leash that is killed itself must not leave its server behind.
  shell.on('exit', (_code, signal) => signal && killIfThere(pid, 'SIGKILL'));
  return watchChild({ pid, exited, kill: (signal) => killIfThere(pid, signal) });
}

async function readPid(pipe: Readable): Promise<number> {
  let text = '';
  pipe.on('data', (chunk) => {
    text += chunk;
  });
  await once(pipe, 'close');
  return Number(text);
}
