import { Download } from '../endpoint.ts';

/** The name of the file has no address: it stays in lists of downloads. */
export function dataDownload(chunks: AsyncIterable<string>): Download {
  return new Download('application/json', 'personal-data.json', chunks);
}
