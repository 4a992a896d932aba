import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');

/** Of this installation. */
export const VERSION: string = (JSON.parse(file) as { version: string }).version;
