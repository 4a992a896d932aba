import { csvRow } from '../../../core/base/text/csv.ts';
import { breather } from '../../../core/base/work/breathe.ts';
import type { Person } from '../../../core/campaigns/people/list.ts';
import type { Suppression } from '../../../core/consent/suppressions/model.ts';
import { shownState } from '../../../core/mail/ledger/states.ts';
import type { ImportError } from '../../../core/people/imports/model.ts';
import type { Contact, CustomField } from '../../../core/people/model.ts';
import { CONTACT_FIELDS } from '../../../schemas/people/contacts.ts';
import { presentPerson } from '../../present/campaigns.ts';
import { presentSuppression } from '../../present/consent.ts';
import { presentContact } from '../../present/people.ts';
import { Download } from '../endpoint.ts';

type Format = 'csv' | 'ndjson';

/** Each declared field has a column; other properties are one column of JSON. The file can be imported again. */
export function contactsDownload(format: Format, pages: AsyncIterable<Contact[]>, fields: CustomField[]): Download {
  const names = fields.map(({ fieldName }) => fieldName);
  const declared = new Set(names);
  return download('contacts', format, pages, {
    columns: [
      ...['id', 'email', ...CONTACT_FIELDS],
      ...names.map((name) => `contactProperties.${name}`),
      ...['contactProperties', 'listIds', 'segmentIds', 'createdAt', 'updatedAt'],
    ],
    cells({ _id, email, contactProperties, ...contact }) {
      const others = Object.entries(contactProperties).filter(([name]) => !declared.has(name));
      return [
        ...[_id.toHexString(), email, ...CONTACT_FIELDS.map((field) => contact[field])],
        ...names.map((name) => contactProperties[name]),
        others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others)),
        ...[contact.listIds.join(' '), contact.segmentIds.join(' '), contact.createdAt, contact.updatedAt],
      ];
    },
    present: presentContact,
  });
}

export function suppressionsDownload(format: Format, pages: AsyncIterable<Suppression[]>): Download {
  return download('suppressions', format, pages, {
    columns: [
      ...['id', 'email', 'groupId', 'isGlobal', 'reason', 'evidence', 'createdAt', 'updatedAt'],
      ...['isMarketing', 'exceptGroupIds'],
    ],
    cells: ({ _id, email, groupId, isGlobal, reason, evidence, createdAt, updatedAt, ...entry }) => [
      ...[_id.toHexString(), email, groupId, isGlobal, reason, evidence, createdAt, updatedAt],
      ...[entry.isMarketing ?? false, (entry.exceptGroupIds ?? []).join(' ')],
    ],
    present: presentSuppression,
  });
}

export function importErrorsDownload(format: Format, pages: AsyncIterable<ImportError[]>): Download {
  return download('import-errors', format, pages, {
    columns: ['row', 'email', 'message'],
    cells: ({ row, email, message }) => [row, email, message],
    present: ({ row, email, message }) => ({ row, email, message }),
  });
}

/** `name`: of the file. */
export function peopleDownload(name: string, format: Format, pages: AsyncIterable<Person[]>): Download {
  const columns = [
    ...['emailId', 'contactId', 'email', 'status', 'sentAt', 'openedAt', 'humanOpenedAt', 'clickedAt'],
    ...['unsubscribedAt', 'complainedAt'],
  ];
  return download(name, format, pages, {
    columns,
    cells: ({ message, engagement }) => {
      const { _id, contactId, email, state, sentAt } = message;
      const { openedAt, humanOpenedAt, clickedAt, unsubscribedAt, complainedAt } = engagement ?? {};
      return [
        ...[_id.toHexString(), contactId?.toHexString(), email, shownState(state), sentAt],
        ...[openedAt, humanOpenedAt, clickedAt, unsubscribedAt, complainedAt],
      ];
    },
    present: presentPerson,
  });
}

interface Shape<Entry> {
  columns: string[];
  cells(entry: Entry): Parameters<typeof csvRow>[0];
  present(entry: Entry): object;
}

/** Lines are written when they are this long together: entries may be large. */
const PART_LENGTH = 65_536;

const contentTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

function download<Entry>(
  name: string,
  format: Format,
  pages: AsyncIterable<Entry[]>,
  { columns, cells, present }: Shape<Entry>,
): Download {
  async function* lines(): AsyncGenerator<string> {
    const pause = breather();
    let part = format === 'csv' ? csvRow(columns) : '';
    for await (const page of pages) {
      for (const entry of page) {
        part += format === 'csv' ? csvRow(cells(entry)) : `${JSON.stringify(present(entry))}\n`;
        if (part.length < PART_LENGTH) continue;
        yield part;
        part = '';
        await pause();
      }
    }
    if (part !== '') yield part;
  }
  return new Download(contentTypes[format], `${name}.${format}`, lines());
}
