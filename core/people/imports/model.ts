import type { Binary, Collection, ObjectId } from 'mongodb';

/** Files of contacts that are being imported. */

export interface ContactImport {
  _id: ObjectId;
  projectId: ObjectId;
  status: 'queued' | 'running' | 'completed' | 'completed_with_errors' | 'failed';
  format: 'csv' | 'ndjson';
  fileName: string | null;
  sizeBytes: number;
  /** Lists that every contact joins. */
  listIds: ObjectId[];
  runWorkflow: boolean;
  /** The first line of a CSV file, once it is read. */
  header: { columns: string[]; delimiter: string } | null;
  /** Where the next row begins. Moves in the transaction that writes the rows before it. */
  cursor: { bytes: number; row: number };
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** Rows that stopped mail to their address. */
  suppressed: number;
  /** Rows that said subscribed although the address is suppressed. */
  stillSuppressed: number;
  /** Records of consent that the rows brought. */
  consents: number;
  failureReason: string | null;
  startedAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A chunk of the file; deleted when the import is over. */
interface ImportChunk {
  /** Import and number. */
  _id: string;
  projectId: ObjectId;
  importId: ObjectId;
  number: number;
  bytes: Binary;
  createdAt: Date;
}

export interface ImportError {
  /** Import and row. */
  _id: string;
  projectId: ObjectId;
  importId: ObjectId;
  /** The first row below the header is 1. */
  row: number;
  email: string | null;
  /** The same in normal form, where it is an address: by it the errors of a person are found. */
  address?: string;
  message: string;
  createdAt: Date;
}

declare module '../../base/collections.ts' {
  interface Collections {
    imports: Collection<ContactImport>;
    importChunks: Collection<ImportChunk>;
    importErrors: Collection<ImportError>;
  }
}
