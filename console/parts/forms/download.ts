import type { Download } from '../../../client/index.ts';

/** Saves a download of the interface as a file: a plain link would carry no session header. */
export async function save(asked: PromiseLike<Download>, fileName: string): Promise<void> {
  const download = await asked;
  const blob = await new Response(download.stream, { headers: { 'Content-Type': download.contentType } }).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = download.fileName ?? fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
