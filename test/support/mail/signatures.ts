import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

interface Records {
  dkim: { name: string; value: string };
  dkimEd25519: { name: string; value: string };
}

/** The verdict on each DKIM signature of a mail, by the records that its domain asks its owner to publish. Text has a byte in each character. */
export async function signatureVerdicts(
  mail: string | Buffer,
  { dnsRecords: { dkim, dkimEd25519 } }: { dnsRecords: Records },
): Promise<string[]> {
  const records = new Map([dkim, dkimEd25519].map(({ name, value }) => [name, [[value]]]));
  const resolver = async (name: string) => records.get(name) ?? [];
  const bytes = typeof mail === 'string' ? Buffer.from(mail, 'latin1') : mail;
  const { results } = await dkimVerify(bytes, { resolver });
  return results.map(({ status }: { status: { result: string } }) => status.result);
}
