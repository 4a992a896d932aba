import type { Dns } from '../base/deps.ts';
import type { DomainsDeps } from './deps.ts';
import type { Domain, Finding, SeenRecord, SeenRecords } from './model.ts';
import {
  type DomainRecords,
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
/** Of what DNS said, for people. */
const VALUES_MAX = 5;
const VALUE_LENGTH_MAX = 600;

interface Looked {
  findings: Findings;
  seen: SeenRecords;
}

/** All look-ups of a check, in parallel. */
export async function lookUpDomain(
  { dns }: Pick<DomainsDeps, 'dns'>,
  domain: Domain,
  records: DomainRecords,
): Promise<Looked> {
  const [mailFromMx, mailFromSpf] = records.mailFrom;
  const { inboundMx } = records;
  const text = async (name: string, judge: (texts: string[] | null) => Finding | Promise<Finding>) => {
    const texts = await dns.txt(name);
    return seenAs(await judge(texts), texts);
  };
  const mx = async ({ name, value }: { name: string; value: string }) => {
    const found = await dns.mx(name);
    return seenAs(findMx(found, value), found?.map(({ exchange, priority }) => `${priority} ${exchange}`) ?? null);
  };
  const [ownership, dkim, dkimEd25519, returnMx, spf, dmarc, inbound] = await Promise.all([
    text(records.ownership.name, (texts) => findText(texts, records.ownership.value)),
    text(records.dkim.name, (texts) => findDkim(texts, domain.dkim.publicKey)),
    records.dkimEd25519
      ? text(records.dkimEd25519.name, (texts) => findDkim(texts, domain.dkimEd25519?.publicKey ?? ''))
      : seenAs('unanswered', null),
    mx(mailFromMx),
    text(mailFromSpf.name, (texts) => judgeSpf(dns, texts, mailFromSpf.value)),
    lookUpDmarc(dns, domain.domainName),
    inboundMx ? mx(inboundMx) : null,
  ]);
  return {
    findings: {
      ownership: ownership.finding,
      dkim: dkim.finding,
      dkimEd25519: dkimEd25519.finding,
      mailFrom: worse(returnMx.finding, spf.finding),
      dmarc: dmarc.finding,
      inboundMx: inbound?.finding ?? 'unanswered',
    },
    seen: { ownership, dkim, dkimEd25519, mailFrom: [returnMx, spf], dmarc, inboundMx: inbound },
  };
}

function seenAs(finding: Finding, values: string[] | null): SeenRecord {
  return { finding, values: (values ?? []).slice(0, VALUES_MAX).map((value) => value.slice(0, VALUE_LENGTH_MAX)) };
}

/** A sub-domain without a record of its own is covered by its parents. */
async function lookUpDmarc(dns: Dns, domainName: string): Promise<SeenRecord> {
  const labels = domainName.split('.');
  const names = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  const asked = names.filter((_, index) => index === 0 || index >= names.length - DMARC_PARENTS_MAX);
  const all = await Promise.all(
    asked.map(async (name) => {
      const texts = await dns.txt(`_dmarc.${name}`);
      return seenAs(findDmarc(texts), texts);
    }),
  );
  const one = (wanted: Finding) => all.find(({ finding }) => finding === wanted);
  return one('found') ?? one('unanswered') ?? all[0] ?? seenAs('unanswered', null);
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
