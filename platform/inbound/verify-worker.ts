import { authenticate } from 'mailauth';
import type { InboundEnvelope, MailVerdicts } from '../../core/inbound/mail.ts';
import type { AuthVerdict } from '../../core/inbound/model.ts';
import { createRecords } from './records.ts';
import { withFewSignatures } from './signatures.ts';

export interface MailToVerify {
  bytes: Uint8Array;
  envelope: InboundEnvelope;
}

export interface VerifySettings {
  servers: string[];
  mta: string;
}

/** A domain may make its servers answer slowly: the answer is not waited for any longer by then. */
const LOOKUPS_MAX_MS = 3_000;
const KNOWN = new Set(['PASS', 'FAIL', 'SOFTFAIL', 'NEUTRAL', 'TEMPERROR', 'PERMERROR', 'POLICY', 'NONE']);
const UNREADABLE: MailVerdicts = { spf: 'NONE', dkim: 'NONE', dmarc: 'NONE', author: null, isFinal: true };

let records: ReturnType<typeof createRecords> | undefined;

/** SPF, DKIM and DMARC of many mails at a time: nearly all of it is waiting for DNS. null: there is no result. */
export async function work(
  { bytes, envelope }: MailToVerify,
  { servers, mta }: VerifySettings,
): Promise<MailVerdicts | null> {
  records ??= createRecords(servers);
  const mail = withFewSignatures(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!mail) return UNREADABLE;
  const verdicts = await verify(mail, envelope, mta, withDeadline(records)).catch(() => null);
  // The copy of this thread is free at once. Where it failed, the verifier may read on.
  if (verdicts) (bytes.buffer as ArrayBuffer).transfer(0);
  return verdicts;
}

function withDeadline(lookUp: ReturnType<typeof createRecords>): ReturnType<typeof createRecords> {
  const deadline = performance.now() + LOOKUPS_MAX_MS;
  return async (name, type) => {
    if (performance.now() > deadline) throw Object.assign(new Error('DNS took too long'), { code: 'ETIMEOUT' });
    return lookUp(name, type);
  };
}

async function verify(
  bytes: Buffer,
  { mailFrom, remoteAddress, helo }: InboundEnvelope,
  mta: string,
  resolver: ReturnType<typeof createRecords>,
): Promise<MailVerdicts> {
  const { spf, dkim, dmarc } = await authenticate(bytes, {
    ip: remoteAddress,
    helo,
    mta,
    sender: mailFrom,
    disableArc: true,
    disableBimi: true,
    resolver,
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
