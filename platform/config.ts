import { normalizeEmail } from '../core/base/text/addresses.ts';
import { withoutEnd } from '../core/base/text/text-ends.ts';
import { type Config, type Variable, variableName, variables } from '../schemas/config.ts';
import { storeFault } from './media/store-names.ts';
import { isNetwork } from './networks.ts';

export class ConfigError extends Error {}

/** Reads the environment once, at the start of a process. Every fault is one sentence that names the variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, unknown> = {};
  for (const [field, variable] of Object.entries(variables))
    values[field] = readVariable(variableName(field), variable, env);
  const publicUrl = values.publicUrl || `http://127.0.0.1:${values.port}`;
  const mailHost = values.mailHost || new URL(String(publicUrl)).hostname;
  const mediaFault = storeFault(String(values.mediaStore), values as unknown as Config);
  if (mediaFault) throw new ConfigError(`MEDIA_STORE=${values.mediaStore}: ${mediaFault}`);
  return {
    ...values,
    publicUrl: withoutEnd(String(publicUrl), '/'),
    consoleFrom: readAddress('CONSOLE_FROM', String(values.consoleFrom)),
    postmasterTo: readAddress('POSTMASTER_TO', String(values.postmasterTo)),
    inboundGateways: readNetworks('INBOUND_GATEWAYS', values.inboundGateways as string[]),
    temporalUiUrl: withoutEnd(String(values.temporalUiUrl), '/'),
    mailHost,
    spfRecord: values.spfRecord || `v=spf1 a:${mailHost} ~all`,
    mediaDir: values.mediaDir || `${values.dataDir}/media`,
  } as Config;
}

function readAddress(name: string, text: string): string {
  const email = text === '' ? text : normalizeEmail(text);
  if (email === null) throw new ConfigError(`${name} must be an email address and nothing else, not "${text}".`);
  return email;
}

function readNetworks(name: string, texts: string[]): string[] {
  const fault = texts.find((text) => !isNetwork(text));
  if (fault !== undefined)
    throw new ConfigError(`${name} must list addresses and networks such as 10.0.0.0/8, not "${fault}".`);
  return texts;
}

function readVariable(name: string, variable: Variable, env: NodeJS.ProcessEnv): unknown {
  const text = env[name]?.trim() || String(variable.default ?? '');
  if (variable.type === 'string') return text;
  if (variable.type === 'list')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  if (variable.type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw new ConfigError(`${name} must be true or false, not "${text}".`);
    return text === 'true';
  }
  const number = Number(text);
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = variable;
  if (!Number.isInteger(number) || number < minimum || number > maximum)
    throw new ConfigError(`${name} must be a whole number${describeBounds(variable)}, not "${text}".`);
  return number;
}

function describeBounds({ minimum, maximum }: Variable): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  return minimum !== undefined ? ` of ${minimum} or more` : '';
}
