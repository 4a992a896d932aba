import { pino } from 'pino';
import type { Log } from '../core/deps.ts';

/** JSON lines on standard output. What could carry a key or a body is struck out, wherever it stands. */
export function createLog(level: string, name: string): Log {
  return pino({
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
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
