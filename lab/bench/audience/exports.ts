import { request } from 'node:http';
import { usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import type { Stage } from './stage.ts';

export async function measureExport({ drill, url, api, contacts }: Stage): Promise<Figure[]> {
  const begun = performance.now();
  let [bytes, lines, peakMb] = [0, 0, 0];
  await new Promise<void>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${drill.key}` };
    request(`${url}/contacts/export`, { headers }, async (response) => {
      for await (const piece of response) {
        bytes += piece.length;
        for (const byte of piece) if (byte === 10) lines += 1;
        peakMb = Math.max(peakMb, usageOf(api.pid).residentMb);
      }
      resolve();
    })
      .on('error', reject)
      .end();
  });
  const seconds = (performance.now() - begun) / 1_000;
  const rows = lines - 1;
  if (rows < contacts) throw new Error(`${rows} rows of ${contacts}`);
  return [
    figure('export of every contact as CSV', '/s', [rows / seconds], { note: `${Math.round(bytes / 1e6)} MB` }),
    figure('memory of the API during the export', 'MB', [peakMb]),
  ];
}
