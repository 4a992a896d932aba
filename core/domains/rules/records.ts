import type { MxRecord } from '../../base/deps.ts';
import type { DnsRecord, Domain, Finding } from '../model.ts';

export interface DomainRecords {
  ownership: DnsRecord;
  dkim: DnsRecord;
  dkimEd25519?: DnsRecord;
  mailFrom: [mx: DnsRecord, spf: DnsRecord];
  dmarc: DnsRecord;
  inboundMx?: DnsRecord;
}

const MX_PRIORITY = 10;

/** The records that the owner of a domain has to publish. */
export function domainRecords(
  { domainName, ownershipValue, dkim, dkimEd25519, inboundEnabledAt }: Domain,
  { mailHost, spfRecord }: { mailHost: string; spfRecord: string },
): DomainRecords {
  const txt = (name: string, value: string, purpose: string): DnsRecord => ({ name, value, type: 'TXT', purpose });
  const mx = (name: string, purpose: string): DnsRecord => ({
    name,
    value: mailHost,
    type: 'MX',
    purpose,
    priority: MX_PRIORITY,
  });
  const returnPath = mailFromName(domainName);
  return {
    ownership: txt(`_everpost.${domainName}`, ownershipValue, 'Proves that this project may send for the domain.'),
    dkim: txt(
      `${dkim.selector}._domainkey.${domainName}`,
      `v=DKIM1; k=rsa; p=${dkim.publicKey}`,
      'Lets receivers verify the signature of each mail.',
    ),
    ...(dkimEd25519 && {
      dkimEd25519: txt(
        `${dkimEd25519.selector}._domainkey.${domainName}`,
        `v=DKIM1; k=ed25519; p=${dkimEd25519.publicKey}`,
        'Recommended: a second, shorter signature. Mail has it once this record is found.',
      ),
    }),
    mailFrom: [
      mx(returnPath, 'Brings bounces back to this service.'),
      txt(returnPath, spfRecord, 'Names the servers that may send (SPF).'),
    ],
    dmarc: txt(
      `_dmarc.${domainName}`,
      'v=DMARC1; p=none;',
      'Tells receivers what to do with mail that fails the checks.',
    ),
    ...(inboundEnabledAt ? { inboundMx: mx(domainName, 'Brings mail for the domain to this service.') } : {}),
  };
}

/** The host of return paths once its records are found. */
export function mailFromName(domainName: string): string {
  return `bounce.${domainName}`;
}

export function findText(texts: string[] | null, value: string): Finding {
  return judge(texts, (text) => text.trim() === value);
}

/** The same key counts, however the record is spaced, split or ordered. */
export function findDkim(texts: string[] | null, publicKey: string): Finding {
  return judge(texts, (text) => tagsOf(text).get('p') === publicKey);
}

export function findMx(records: MxRecord[] | null, host: string): Finding {
  const plain = (name: string) => name.toLowerCase().replace(/\.$/, '');
  return judge(records, ({ exchange }) => plain(exchange) === plain(host));
}

/** The owner may add mechanisms of other senders; two SPF records at one name are an error by RFC 7208. */
export function findSpf(texts: string[] | null, wanted: string): Finding {
  const records = texts?.filter(isSpf) ?? null;
  if (records === null || records.length === 0) return judge(records, () => false);
  const terms = new Set(spfTerms(records[0] as string));
  const isOurs = spfTerms(wanted).every((term) => /^[-~?+]?all$/.test(term) || terms.has(term));
  return records.length === 1 && isOurs ? 'found' : 'different';
}

export function isSpf(text: string): boolean {
  return /^v=spf1(\s|$)/i.test(text.trim());
}

export function spfTerms(record: string): string[] {
  return record.trim().toLowerCase().split(/\s+/).slice(1);
}

export function findDmarc(texts: string[] | null): Finding {
  return judge(texts, (text) => /^v=DMARC1\s*;/i.test(text.trim()) && tagsOf(text).has('p'));
}

function tagsOf(text: string): Map<string, string> {
  const pairs = text.split(';').map((tag) => tag.split(/=(.*)/s));
  return new Map(pairs.map(([name = '', value = '']) => [name.trim().toLowerCase(), value.replace(/\s+/g, '')]));
}

function judge<T>(records: T[] | null, isOurs: (record: T) => boolean): Finding {
  if (records === null) return 'unanswered';
  if (records.some(isOurs)) return 'found';
  return records.length > 0 ? 'different' : 'absent';
}
