import { MongoError } from 'mongodb';
import { pino } from 'pino';
import type { Log } from '../core/base/deps.ts';

/** JSON lines on standard output. Fields that could carry a key or a body are redacted at any depth. */
export function createLog(level: string, name: string): Log {
  return pino({
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'authorization',
        'apiKey',
        'key',
        'secret',
        'password',
        'body',
        'html',
        'text',
        '*.authorization',
        '*.apiKey',
        '*.key',
        '*.secret',
        '*.body',
      ],
      censor: '[redacted]',
    },
  });
}

/** A message of the driver may quote a document, so its errors are logged by code only. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name: type, message, stack = '' } = error;
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const text = error instanceof MongoError ? `code ${String(error.code)}` : message.slice(0, 300);
  return { type, message: text, stack: frames.slice(0, 8).join('\n') };
}
