import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Variable, variableName, variables } from '../schemas/config.ts';
import { chartSchema } from './chart-schema.ts';

/**
 * `npm run readme`: writes the table of environment variables in docs/variables.md, and the values that the Helm chart takes. Tests
 * compare both with the config schema.
 */
const file = join(import.meta.dirname, '../docs/variables.md');
const chartFile = join(import.meta.dirname, '../deploy/helm/everpost/values.schema.json');

export function withVariables(page: string): string {
  return page.replace(
    /(<!-- variables -->\n)[\s\S]*?(<!-- \/variables -->)/,
    (_all, open, close) => `${open}${table()}${close}`,
  );
}

function table(): string {
  const rows = Object.entries(variables).map(([field, variable]: [string, Variable]) => {
    const value = variable.default === undefined || variable.default === '' ? '' : `\`${variable.default}\``;
    return `| \`${variableName(field)}\` | ${value} | ${variable.description.replaceAll('|', '\\|')} |`;
  });
  return ['| Variable | Default | |', '|---|---|---|', ...rows, ''].join('\n');
}

if (import.meta.main) {
  writeFileSync(file, withVariables(readFileSync(file, 'utf8')));
  writeFileSync(chartFile, `${JSON.stringify(chartSchema(), null, 2)}\n`);
}
