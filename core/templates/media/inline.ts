import type { ObjectId } from 'mongodb';
import { INLINE_PICTURES_BYTES_MAX, INLINE_PICTURES_MAX } from '../../../schemas/templates/media.ts';
import { oncePerCore } from '../../base/deps.ts';
import { invalid } from '../../base/errors.ts';
import { heldElsewhere } from '../../base/held-bytes.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { InlinePicture } from './model.ts';

/** Pictures of a project that go inside its mail: found when the mail is accepted or frozen, read when it is composed. */

const NAME = /^[0-9a-f]{64}\.(?:png|jpg|gif|webp)$/;
/** Addresses in the places that show a picture: a link to one stays. */
const SHOWN = /((?<![\w-])(?:src|background)=["']?|url\((?:["']|&quot;|&#39;)?)([^\s"'<>()&]{1,2048})(?=["'\s>)&])/gi;
/** No mail has more than `INLINE_PICTURES_BYTES_MAX`, so neither has a picture. */
const KEPT_MAX = 24;
const kept = oncePerCore(() => new BoundedMap<string, Promise<Buffer | null>>(KEPT_MAX));

type Config = Pick<TemplatesDeps['config'], 'publicUrl'>;

/** `language`: that of a translation, which a refusal names. */
export interface HtmlOfMail {
  html: string | null;
  language?: string;
}

/**
 * Pictures that the HTML shows and the project has; an address of anything else stays a link. Each mail has the whole limit. `path`: before
 * the field that a refusal names.
 */
export async function picturesInside(
  deps: Pick<TemplatesDeps, 'config' | 'db'>,
  projectId: ObjectId,
  mails: readonly HtmlOfMail[],
  path = '',
): Promise<InlinePicture[]> {
  const shown = mails.map(({ html, language }) => ({ language, names: picturesOf(deps.config, html) }));
  const names = [...new Set(shown.flatMap((mail) => mail.names))];
  if (names.length === 0) return [];
  const found = await deps.db.media
    .find({ projectId, name: { $in: names }, state: 'stored' }, { projection: { _id: 0, name: 1, sizeBytes: 1 } })
    .toArray();
  const sizes = new Map(found.map(({ name, sizeBytes }) => [name, sizeBytes]));
  for (const { language, names: some } of shown) {
    const own = some.flatMap((name) => sizes.get(name) ?? []);
    refuseMany(own, path, language === undefined ? '' : ` in ${language}`);
  }
  return names.flatMap((name) => {
    const sizeBytes = sizes.get(name);
    return sizeBytes === undefined ? [] : [{ name, sizeBytes }];
  });
}

function refuseMany(sizes: readonly number[], path: string, inLanguage: string): void {
  if (sizes.length > INLINE_PICTURES_MAX)
    throw invalid(
      `The mail${inLanguage} shows ${sizes.length} pictures of the project, and ${INLINE_PICTURES_MAX} at most go inside a mail.`,
      `${path}inlinePictures: the mail${inLanguage} shows ${sizes.length} pictures, and ${INLINE_PICTURES_MAX} at most go inside it`,
    );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > INLINE_PICTURES_BYTES_MAX)
    throw invalid(
      `The pictures of the mail${inLanguage} have ${bytes} bytes together, and ${INLINE_PICTURES_BYTES_MAX} at most go inside a mail.`,
      `${path}inlinePictures: the pictures${inLanguage} have ${bytes} bytes together, and ${INLINE_PICTURES_BYTES_MAX} at most go inside a mail`,
    );
}

function picturesOf(config: Config, html: string | null): string[] {
  const addresses = Array.from(html?.matchAll(SHOWN) ?? [], ([, , address]) => address as string);
  return [...new Set(addresses.flatMap((address) => nameIn(config, address) ?? []))];
}

/** null: the address of something else. */
function nameIn({ publicUrl }: Config, address: string): string | null {
  const media = `${publicUrl}/media/`;
  const name = address.startsWith(media) ? address.slice(media.length) : '';
  return NAME.test(name) ? name : null;
}

/** The HTML with `nameOf` in the place of their addresses, and their bytes. A picture that is gone by now stays a link. */
export async function withPictures(
  deps: Pick<TemplatesDeps, 'config' | 'media' | 'state'>,
  html: string,
  pictures: readonly InlinePicture[],
  nameOf: (name: string) => string,
): Promise<{ html: string; files: Array<{ name: string; bytes: Buffer }> }> {
  const known = new Set(pictures.map(({ name }) => name));
  const files: Array<{ name: string; bytes: Buffer }> = [];
  for (const name of picturesOf(deps.config, html)) {
    const bytes = known.has(name) ? await read(deps, name) : null;
    if (bytes) files.push({ name, bytes });
  }
  const inside = new Set(files.map(({ name }) => name));
  const named = html.replace(SHOWN, (whole, before: string, address: string) => {
    const name = nameIn(deps.config, address);
    return name && inside.has(name) ? before + nameOf(name) : whole;
  });
  return { html: named, files };
}

/** Mails that are composed at the same time share one read; the bytes under a name never change. */
async function read(deps: Pick<TemplatesDeps, 'media' | 'state'>, name: string): Promise<Buffer | null> {
  const reads = kept(deps);
  const known = reads.get(name) ?? deps.media.read(name, heldElsewhere).then((bytes) => bytes && asBuffer(bytes));
  reads.set(name, known);
  const bytes = await known.catch((error) => {
    reads.delete(name);
    throw error;
  });
  if (!bytes) reads.delete(name);
  return bytes;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
