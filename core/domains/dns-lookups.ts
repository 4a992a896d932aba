import type { Deps, Dns } from '../base/deps.ts';
import type { Domain } from './model.ts';
import {
  type DomainRecords,
  type Finding,
  findDkim,
  findDmarc,
  findMx,
  findSpf,
  findText,
  isSpf,
  spfTerms,
} from './rules/records.ts';
import type { Findings } from './rules/status.ts';

/** RFC 7208: a record that makes receivers look up more than this is an error to them. */
const SPF_LOOKUPS_MAX = 10;
const SPF_VOID_MAX = 2;
const DMARC_PARENTS_MAX = 7;

/** All look-ups of a check, in parallel. */
export async function lookUpDomain(
  { dns }: Pick<Deps, 'dns'>,
  domain: Domain,
  records: DomainRecords,
): Promise<Findings> {
  const [mailFromMx, spf] = records.mailFrom;
  const [ownership, dkim, returnMx, returnSpf, dmarc, inbound] = await Promise.all([
    dns.txt(records.ownership.name),
    dns.txt(records.dkim.name),
    dns.mx(mailFromMx.name),
    dns.txt(spf.name).then((texts) => judgeSpf(dns, texts, spf.value)),
    lookUpDmarc(dns, domain.domainName),
    records.inboundMx ? dns.mx(records.inboundMx.name) : null,
  ]);
  return {
    ownership: findText(ownership, records.ownership.value),
    dkim: findDkim(dkim, domain.dkim.publicKey),
    mailFrom: worse(findMx(returnMx, mailFromMx.value), returnSpf),
    dmarc,
    inboundMx: records.inboundMx ? findMx(inbound, records.inboundMx.value) : 'unanswered',
  };
}

/** A sub-domain without a record of its own is covered by its parents. */
async function lookUpDmarc(dns: Dns, domainName: string): Promise<Finding> {
  const labels = domainName.split('.');
  const names = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  const asked = names.filter((_, index) => index === 0 || index >= names.length - DMARC_PARENTS_MAX);
  const findings = await Promise.all(asked.map(async (name) => findDmarc(await dns.txt(`_dmarc.${name}`))));
  const [own = 'unanswered'] = findings;
  return findings.find((finding) => finding === 'found') ?? findings.find((finding) => finding === 'unanswered') ?? own;
}

async function judgeSpf(dns: Dns, texts: string[] | null, wanted: string): Promise<Finding> {
  const finding = findSpf(texts, wanted);
  const record = texts?.find(isSpf);
  if (finding !== 'found' || !record) return finding;
  const spent = { lookups: 0, voids: 0, unanswered: 0 };
  await countSpfLookups(dns, record, spent);
  if (spent.lookups > SPF_LOOKUPS_MAX || spent.voids > SPF_VOID_MAX) return 'different';
  return spent.unanswered > 0 ? 'unanswered' : 'found';
}

type SpfSpent = { lookups: number; voids: number; unanswered: number };

/** Stops at the first look-up without an answer: ten of them would outlast the check. */
async function countSpfLookups(dns: Dns, record: string, spent: SpfSpent): Promise<void> {
  for (const term of spfTerms(record)) {
    if (spent.lookups > SPF_LOOKUPS_MAX || spent.unanswered > 0) return;
    const [, kind, target] = /^[-~?+]?(include|redirect|a|mx|ptr|exists)(?:[:=]([^/]+))?(?:$|\/)/.exec(term) ?? [];
    if (!kind) continue;
    spent.lookups += 1;
    if (!target || (kind !== 'include' && kind !== 'redirect')) continue;
    const texts = await dns.txt(target);
    const included = texts?.find(isSpf);
    if (included) await countSpfLookups(dns, included, spent);
    else if (texts) spent.voids += 1;
    else spent.unanswered += 1;
  }
}

/** Both records of a pair are needed. */
function worse(one: Finding, other: Finding): Finding {
  const order: Finding[] = ['found', 'unanswered', 'different', 'absent'];
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
