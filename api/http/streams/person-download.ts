import { Download } from '../endpoint.ts';

/** Two long mails that came in as they are read, and the row of one. */
export const PERSON_DOWNLOAD_BYTES = 8 * 1024 * 1024;

/** The name of the file has no address: it stays in lists of downloads. */
export function dataDownload(chunks: AsyncIterable<string>): Download {
  return new Download('application/json', 'personal-data.json', chunks);
}
