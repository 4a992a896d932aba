import { mkdirSync, readdirSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Attachment, attachmentContents, type Envelope, type Mail, parseMail, type Received } from './mail.ts';

const mailsMax = 1_000;
const fileEnding = '.mail';

export interface Mailbox {
  add(envelope: Envelope, raw: Buffer): Promise<string>;
  /** Newest first. */
  ids(): readonly string[];
  read(id: string): Promise<Mail | null>;
  source(id: string): Promise<Buffer | null>;
  attachment(id: string, index: number): Promise<{ content: Buffer; about: Attachment } | null>;
  clear(): Promise<void>;
  /** Called after each change; answers the function that ends it. */
  onChange(listener: () => void): () => void;
}

/** One file a mail: a line of JSON (envelope and time), then the mail as it came. Files end with their rename, so none is half. */
export function openMailbox(folder: string): Mailbox {
  mkdirSync(folder, { recursive: true });
  const ids = readdirSync(folder)
    .filter((name) => name.endsWith(fileEnding))
    .map((name) => name.slice(0, -fileEnding.length))
    .sort();
  const parsed = new Map<string, Promise<Mail>>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const fileOf = (id: string) => join(folder, `${id}${fileEnding}`);
  let last = 0;

  async function forget(id: string): Promise<void> {
    parsed.delete(id);
    await rm(fileOf(id), { force: true });
  }

  return {
    async add(envelope, raw) {
      last = Math.max(last + 1, Date.now() * 1_000);
      const id = last.toString(16).padStart(14, '0');
      const meta = JSON.stringify({ envelope, receivedAt: new Date().toISOString() });
      await writeFile(`${fileOf(id)}.part`, Buffer.concat([Buffer.from(`${meta}\n`), raw]));
      await rename(`${fileOf(id)}.part`, fileOf(id));
      ids.push(id);
      await Promise.all(ids.splice(0, Math.max(0, ids.length - mailsMax)).map(forget));
      changed();
      return id;
    },
    ids: () => ids.toReversed(),
    async read(id) {
      if (!ids.includes(id)) return null;
      const mail = parsed.get(id) ?? readMailFile(fileOf(id)).then(({ meta, raw }) => parseMail(id, meta, raw));
      parsed.set(id, mail);
      return mail.catch(() => null); // it may have been deleted since
    },
    async source(id) {
      return ids.includes(id) ? (await readMailFile(fileOf(id))).raw : null;
    },
    async attachment(id, index) {
      const about = (await this.read(id))?.attachments[index];
      if (!about) return null;
      const contents = await attachmentContents((await readMailFile(fileOf(id))).raw);
      return { about, content: contents[index] ?? Buffer.alloc(0) };
    },
    async clear() {
      await Promise.all(ids.splice(0).map(forget));
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function readMailFile(path: string): Promise<{ meta: Received; raw: Buffer }> {
  const file = await readFile(path);
  const end = file.indexOf('\n');
  return { meta: JSON.parse(file.subarray(0, end).toString()), raw: file.subarray(end + 1) };
}
