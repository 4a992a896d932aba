import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { variableName, variables } from '../../schemas/config.ts';

/** A container of ours may set the variables of the config schema, and those that the image sets already. */
export function settableVariables(): string[] {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');
  const ofImage = [...dockerfile.matchAll(/(?<=^ENV .*)\b[A-Z_]+(?==)/gm)].map(([name]) => name);
  return [...Object.keys(variables).map(variableName), ...ofImage];
}
