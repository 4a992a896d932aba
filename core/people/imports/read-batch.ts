import { derivedId } from '../../base/ids.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import type { ContactChange } from '../changes/apply-change.ts';
import { readContactRow } from '../contacts/parse-row.ts';
import { changeOfRow, listDirectory } from '../contacts/rows.ts';
import type { PeopleDeps } from '../deps.ts';
import { groupDirectory } from './consent/groups.ts';
import { type ConsentState, type ImportedConsent, readConsentState } from './consent/state.ts';
import type { ContactImport, ImportError } from './model.ts';
import type { FileRow } from './rows.ts';

export type ImportOrder = Pick<ContactImport, '_id' | 'projectId' | 'createdAt' | 'listIds' | 'runWorkflow' | 'cursor'>;

export interface RowChange {
  row: number;
  change: ContactChange;
  consent: ImportedConsent | null;
}

export type RowError = Pick<ImportError, 'row' | 'email' | 'message'>;

/** The state that a row gives its address; it counts even when the rest of the row is refused. */
export interface RowState extends Pick<ConsentState, 'stops' | 'saysSubscribed'> {
  row: number;
  /** Normal form. */
  email: string;
  /** The groups that an unsubscribe is written to. */
  groups: SuppressionGroup[];
}

interface ReadRows {
  changes: RowChange[];
  states: RowState[];
  errors: RowError[];
}

/** Reads rows against the schemas and against the lists and groups of the project; a row is refused alone. */
export async function readBatch(deps: PeopleDeps, order: ImportOrder, rows: FileRow[]): Promise<ReadRows> {
  const project = { _id: order.projectId };
  const nowMs = deps.clock.now().getTime();
  const read = rows.map(({ given, problem }) =>
    given
      ? { given, contact: readContactRow(given), said: readConsentState(given, nowMs) }
      : { given, problem: problem ?? 'cannot be read' },
  );
  const directory = await listDirectory(
    deps,
    project,
    read.flatMap(({ contact }) => (contact?.ok ? [contact.row] : [])),
  );
  const hasStates = read.some(({ said }) => said?.ok && said.state);
  const groups = hasStates ? await groupDirectory(deps, project) : null;
  const result: ReadRows = { changes: [], states: [], errors: [] };
  for (const [index, one] of read.entries()) {
    const row = order.cursor.row + index + 1;
    const refuse = (message: string) => result.errors.push({ row, email: shownAddress(one.given?.email), message });
    if (!one.given) {
      refuse(one.problem);
      continue;
    }
    const { contact, said } = one;
    if (!said.ok) {
      refuse(said.message);
      continue;
    }
    const named = said.state && groups ? groups.named(said.state.groups) : [];
    if (typeof named === 'string') {
      refuse(named);
      continue;
    }
    const email = contact.ok ? contact.row.email : addressOf(one.given.email);
    if (said.state && email) {
      const { stops, saysSubscribed } = said.state;
      result.states.push({ row, email, stops, saysSubscribed, groups: named });
    }
    const newId = derivedId(order.createdAt, 'imported contact', order._id.toHexString(), row);
    const change = contact.ok ? changeOfRow(contact.row, directory, newId) : contact.message;
    if (typeof change === 'string') refuse(change);
    else result.changes.push({ row, change: withOptions(order, change), consent: said.state?.consent ?? null });
  }
  return result;
}

function withOptions({ listIds, runWorkflow }: ImportOrder, change: ContactChange): ContactChange {
  return { ...change, runWorkflow, addListIds: [...listIds, ...(change.addListIds ?? [])] };
}

function addressOf(given: unknown): string | null {
  return typeof given === 'string' ? normalizeEmail(given) : null;
}

function shownAddress(given: unknown): string | null {
  return typeof given === 'string' ? given.slice(0, 320) : null;
}
