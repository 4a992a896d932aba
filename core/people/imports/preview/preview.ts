import { ObjectId } from 'mongodb';
import { AppError, invalid } from '../../../base/errors.ts';
import type { Project } from '../../../base/model.ts';
import { ROW_BYTES_MAX } from '../../../base/work/csv-records.ts';
import { wouldChange } from '../../changes/would-change.ts';
import type { PeopleDeps } from '../../deps.ts';
import { listsNamed } from '../../lists/lists.ts';
import { type Batch, batchesOf } from '../batches.ts';
import { type Column, readColumns } from '../columns.ts';
import type { ImportOptions } from '../imports.ts';
import { type ImportOrder, type RowError, readBatch } from '../read-batch.ts';
import { PreviewEntries } from './entries.ts';

/** A larger file is read up to here; the memory and the time of a preview do not grow with the file. */
const PREVIEW_BYTES_MAX = 16 * 1024 * 1024;
const PREVIEW_ROWS_MAX = 100_000;
/** A row may name all groups of the project. */
const PREVIEW_GROUPS_MAX = 400_000;
/** Fewer than an import takes: other requests of the process run between batches. */
const ROWS_TOGETHER = 200;
const ERRORS_SHOWN_MAX = 100;
const COLUMNS_SHOWN_MAX = 1_000;
const PIECE_BYTES = 64 * 1024;

type Tenant = Pick<Project, '_id'>;
type PreviewOptions = Pick<ImportOptions, 'format' | 'listIds'>;

/** The beginning of a file, and the size of all of it. */
interface FileStart {
  bytes: Buffer;
  sizeBytes: number;
}

/** Reads the upload to its end, and keeps no more than a preview needs. */
export async function readStart(source: AsyncIterable<Uint8Array>): Promise<FileStart> {
  const pieces: Uint8Array[] = [];
  let [kept, sizeBytes] = [0, 0];
  for await (const piece of source) {
    sizeBytes += piece.length;
    const part = piece.subarray(0, PREVIEW_BYTES_MAX - kept);
    if (part.length > 0) pieces.push(part);
    kept += part.length;
  }
  return { bytes: Buffer.concat(pieces, kept), sizeBytes };
}

/** The effects that an import of the file would have now, found by the code that imports. Nothing is written. */
export async function previewImport(
  deps: PeopleDeps,
  project: Tenant,
  { bytes, sizeBytes }: FileStart,
  { format, listIds }: PreviewOptions,
) {
  if (sizeBytes === 0) throw invalid('The file is empty.', 'file: must not be empty');
  const cursor = { bytes: 0, row: 0 };
  const lists = await listsNamed(deps, project, listIds);
  const preview = new Preview(deps, project, lists, { bytes, sizeBytes });
  const open = (from: number) => pieces(bytes.subarray(from));
  for await (const batch of batchesOf(open, { format, header: null, cursor }, ROWS_TOGETHER)) {
    await preview.add(batch);
    if (preview.isFull) break;
  }
  return { format, ...(await preview.answer()) };
}

class Preview {
  readonly #deps: PeopleDeps;
  readonly #project: Tenant;
  readonly #order: ImportOrder;
  readonly #file: FileStart;
  readonly #entries: PreviewEntries;
  readonly #seen = new Set<string>();
  readonly #counts = { created: 0, updated: 0, unchanged: 0, repeated: 0, failed: 0, consents: 0 };
  readonly #errors: RowError[] = [];
  #cursor = { bytes: 0, row: 0 };
  #columns: string[] = [];
  #failureReason: string | null = null;

  constructor(deps: PeopleDeps, project: Tenant, listIds: ObjectId[], file: FileStart) {
    this.#deps = deps;
    this.#project = project;
    this.#file = file;
    const made = { _id: new ObjectId(), projectId: project._id, createdAt: deps.clock.now() };
    this.#order = { ...made, listIds, runWorkflow: false, cursor: this.#cursor };
    this.#entries = new PreviewEntries(deps, this.#order);
  }

  get isFull(): boolean {
    return this.#cursor.row >= PREVIEW_ROWS_MAX || this.#entries.size >= PREVIEW_GROUPS_MAX;
  }

  get #isCut(): boolean {
    return this.#file.bytes.length < this.#file.sizeBytes;
  }

  async add({ rows: given, header, problem }: Batch): Promise<void> {
    const { bytes } = this.#file;
    // The last row before the cut may not be whole.
    const rows = this.#isCut ? given.filter(({ endBytes }) => endBytes < bytes.length) : given;
    const { changes, states, errors } = await readBatch(this.#deps, { ...this.#order, cursor: this.#cursor }, rows);
    const asked = changes.map(({ change }) => change);
    const outcomes = await wouldChange(this.#deps, this.#project, asked);
    await this.#entries.add(states);
    for (const [index, { row, change, consent }] of changes.entries()) {
      const { email = '' } = change;
      const outcome = outcomes[index];
      if (outcome instanceof AppError) errors.push({ row, email, message: outcome.message });
      if (!outcome || outcome instanceof AppError) continue;
      if (consent) this.#counts.consents += 1;
      this.#count(this.#seen.has(email) ? 'repeated' : outcome.kind);
      this.#seen.add(email);
    }
    this.#counts.failed += errors.length;
    const shown = errors.toSorted((a, b) => a.row - b.row).slice(0, ERRORS_SHOWN_MAX - this.#errors.length);
    this.#errors.push(...shown);
    this.#columns = header?.columns ?? [];
    this.#cursor = { bytes: rows.at(-1)?.endBytes ?? this.#cursor.bytes, row: this.#cursor.row + rows.length };
    const isOfCut = this.#isCut && bytes.length - this.#cursor.bytes <= ROW_BYTES_MAX;
    if (!isOfCut) this.#failureReason = problem;
  }

  #count(kind: string): void {
    if (kind === 'created' || kind === 'unchanged' || kind === 'repeated') this.#counts[kind] += 1;
    else this.#counts.updated += 1;
  }

  async answer() {
    const { bytes, sizeBytes } = this.#file;
    const isStopped = this.isFull && this.#cursor.bytes < bytes.length;
    return {
      isWhole: !this.#isCut && !isStopped,
      sizeBytes,
      columns: shownColumns(this.#columns),
      processed: this.#cursor.row,
      ...this.#counts,
      errors: this.#errors,
      ...(await this.#entries.counts()),
      failureReason: this.#failureReason,
    };
  }
}

/** Each column with its meaning, in the order of the file. */
function shownColumns(names: readonly string[]) {
  const read = readColumns(names);
  if ('problem' in read) return [];
  return read.columns.slice(0, COLUMNS_SHOWN_MAX).map((column, index) => ({
    name: names[index] ?? '',
    kind: kinds[column.kind],
    becomes: 'name' in column ? column.name : null,
  }));
}

const kinds = {
  field: 'field',
  property: 'property',
  properties: 'properties',
  listIds: 'lists',
  state: 'consent',
  ignored: 'ignored',
} as const satisfies Record<Column['kind'], string>;

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}
