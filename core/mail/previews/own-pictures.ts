/** A file that a mail brought. */
interface MailFile {
  contentId: string | null;
  contentType: string;
  sizeBytes: number;
}

/** As a mail names a part of itself, in an attribute or a style. */
const OWN_PICTURE = /(["'(=])cid:([^\s"'<>()&]{1,300})/gi;
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** In characters of the page: the pictures behind them are left out, however often one is named. */
const PICTURES_LENGTH_MAX = 12_000_000;

/** The HTML with the pictures that its mail brought in place of their names. No server is asked for them. */
export async function withOwnPictures<File extends MailFile>(
  html: string,
  files: readonly File[],
  read: (file: File) => Promise<Uint8Array | null>,
): Promise<string> {
  const named = new Set(Array.from(html.matchAll(OWN_PICTURE), ([, , name]) => idIn(name)));
  const uris = new Map<string, string>();
  let length = 0;
  for (const file of files) {
    const { contentId, contentType, sizeBytes } = file;
    const type = contentType.toLowerCase();
    if (contentId === null || !named.has(contentId) || !PICTURE_TYPES.includes(type)) continue;
    length += Math.ceil((sizeBytes * 4) / 3);
    if (length > PICTURES_LENGTH_MAX) break;
    const bytes = await read(file);
    if (bytes) uris.set(contentId, `data:${type};base64,${Buffer.from(bytes).toString('base64')}`);
  }
  let left = PICTURES_LENGTH_MAX;
  return html.replace(OWN_PICTURE, (whole, before: string, name: string) => {
    const uri = uris.get(idIn(name));
    if (!uri || uri.length > left) return whole;
    left -= uri.length;
    return before + uri;
  });
}

/** RFC 2392: its odd characters are percent-encoded. */
function idIn(name = ''): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
