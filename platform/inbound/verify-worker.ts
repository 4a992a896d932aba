import { parentPort, workerData } from 'node:worker_threads';
import { authenticate } from 'mailauth';
import type { InboundEnvelope, MailVerdicts } from '../../core/inbound/mail.ts';
import type { AuthVerdict } from '../../core/inbound/model.ts';
import { createRecords } from './records.ts';

const { servers, mta } = workerData as { servers: string[]; mta: string };
const records = createRecords(servers);
const KNOWN = new Set(['PASS', 'FAIL', 'SOFTFAIL', 'NEUTRAL', 'TEMPERROR', 'PERMERROR', 'POLICY', 'NONE']);

/** SPF, DKIM and DMARC of many mails at a time: nearly all of it is waiting for DNS. */
parentPort?.on(
  'message',
  async ({ id, bytes, envelope }: { id: number; bytes: Uint8Array; envelope: InboundEnvelope }) => {
    parentPort?.postMessage({ id, verdicts: await verify(Buffer.from(bytes), envelope).catch(() => null) });
  },
);

async function verify(bytes: Buffer, { mailFrom, remoteAddress, helo }: InboundEnvelope): Promise<MailVerdicts> {
  const { spf, dkim, dmarc } = await authenticate(bytes, {
    ip: remoteAddress,
    helo,
    mta,
    sender: mailFrom,
    disableArc: true,
    disableBimi: true,
    resolver: records,
  });
  const signatures: string[] = (dkim?.results ?? []).map(
    (one: { status?: { result?: string } }) => one.status?.result ?? 'none',
  );
  const best = signatures.find((result) => result === 'pass') ?? signatures[0];
  const result = (one: unknown) => (one as { status?: { result?: string } } | false | undefined) || undefined;
  const judged = verdict(result(dmarc)?.status?.result);
  const authors: string[] = dkim?.headerFrom ?? [];
  const all = [result(spf)?.status?.result, ...signatures, judged.toLowerCase()];
  return {
    spf: verdict(result(spf)?.status?.result),
    dkim: verdict(best),
    dmarc: judged,
    author: judged === 'PASS' && authors.length === 1 ? (authors[0] ?? null) : null,
    isFinal: !all.includes('temperror'),
  };
}

function verdict(result: string | undefined): AuthVerdict {
  const word = (result ?? 'none').toUpperCase();
  return KNOWN.has(word) ? (word as AuthVerdict) : 'NONE';
}
