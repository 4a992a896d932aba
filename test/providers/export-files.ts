import { gzipSync } from 'node:zlib';
import type { AccountA, ContactA } from './account-a.ts';
import { type Answer, type Request, type StandIn, startStandIn } from './stand-in.ts';

/** The file host of provider A's exports: another origin, signed addresses, and no key may ever arrive here. */
export interface ExportFiles {
  server: StandIn;
  exports: Map<string, Export>;
  urls(made: Export): string[];
  contactsOf(made: Export): ContactA[];
}

export interface Export {
  id: string;
  account: AccountA;
  listIds: string[] | undefined;
  fileType: 'csv' | 'json';
  pollsLeft: number;
  at: Date;
  failure: string | null;
  downloads: number;
}

const columns = [
  'EMAIL',
  'FIRST_NAME',
  'LAST_NAME',
  'ADDRESS_LINE_1',
  'ADDRESS_LINE_2',
  'CITY',
  'STATE_PROVINCE_REGION',
  'POSTAL_CODE',
  'COUNTRY',
  'ALTERNATE_EMAILS',
  'PHONE_NUMBER',
  'WHATSAPP',
  'LINE',
  'FACEBOOK',
  'UNIQUE_NAME',
  'CREATED_AT',
  'UPDATED_AT',
  'CONTACT_ID',
];

export async function startExportFiles(port: number): Promise<ExportFiles> {
  const exports = new Map<string, Export>();
  const server = await startStandIn((request) => download(exports, request), { port });
  const urls = (made: Export) =>
    Array.from(
      { length: made.account.exports.parts },
      (_, part) =>
        `${server.url}/${made.id}/part-${part}.${made.fileType}.gzip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=abc`,
    );
  return { server, exports, urls, contactsOf };
}

function contactsOf({ account, listIds }: Export): ContactA[] {
  if (!listIds || listIds.length === 0) return account.contacts;
  return account.contacts.filter((contact) => contact.listIds.some((id) => listIds.includes(id)));
}

function download(exports: Map<string, Export>, { path, headers }: Request): Answer {
  if (headers.authorization) return xml(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  const [, id = '', part] = /^\/([^/]+)\/part-(\d+)\./.exec(path) ?? [];
  const made = exports.get(id);
  if (!made) return xml(404, 'NoSuchKey', 'The specified key does not exist.');
  made.downloads += 1;
  if (made.downloads > made.account.exports.downloadsMax) return expired;
  const body = Buffer.from(fileOf(made, Number(part)));
  const packed = made.account.exports.gzip ? gzipSync(body, { level: 1 }) : body;
  return { status: 200, headers: { 'content-type': 'binary/octet-stream' }, body: packed };
}

function fileOf(made: Export, part: number): string {
  const all = contactsOf(made);
  const size = Math.ceil(all.length / made.account.exports.parts);
  const rows = all.slice(part * size, (part + 1) * size);
  return made.fileType === 'csv'
    ? csvOf(made.account, rows)
    : rows.map((row) => `${JSON.stringify(ndjson(row))}\n`).join('');
}

/** Empty keys are left out; custom fields are nested and keep their case. */
function ndjson({ id, email, firstName, lastName, phone, custom }: ContactA) {
  return {
    contact_id: id,
    created_at: '2020-06-19T10:05:25Z',
    ...(Object.keys(custom).length > 0 ? { custom_fields: custom } : {}),
    ...(email ? { email } : {}),
    ...(firstName ? { first_name: firstName } : {}),
    ...(lastName ? { last_name: lastName } : {}),
    ...(phone ? { phone_number: phone } : {}),
    updated_at: '2020-06-19T10:05:25Z',
  };
}

/** A whole account as one CSV file, as an export without `file_type` has it. */
export function csvOf(account: AccountA, rows = account.contacts): string {
  const custom = account.fields.map(({ name }) => name);
  const header = [
    ...columns,
    ...custom.map((name) => name.toUpperCase()),
    'PHONE_NUMBER_ID',
    'EXTERNAL_ID',
    'ANONYMOUS_ID',
  ];
  const lines = rows.map((row) => {
    const at = '2021-02-01T12:35:22Z';
    const known: Record<string, string> = { EMAIL: row.email, FIRST_NAME: row.firstName, LAST_NAME: row.lastName };
    Object.assign(known, { PHONE_NUMBER: row.phone, CREATED_AT: at, UPDATED_AT: at, CONTACT_ID: row.id });
    const values = [...columns.map((column) => known[column] ?? ''), ...custom.map((name) => row.custom[name] ?? '')];
    return [...values, '', '', ''].map((value) => quote(String(value))).join(',');
  });
  return `${[header.map(quote).join(','), ...lines].join('\n')}\n`;
}

function quote(value: string): string {
  return value === '' ? '' : `"${value.replaceAll('"', '""')}"`;
}

function xml(status: number, code: string, message: string): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

export const expired: Answer = xml(403, 'AccessDenied', 'Request has expired');
