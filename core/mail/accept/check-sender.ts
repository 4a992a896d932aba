import type { ObjectId } from 'mongodb';
import { createBatcher } from '../../base/database/batcher.ts';
import { oncePerCore } from '../../base/deps.ts';
import type { Project } from '../../base/model.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import type { SuppressionFact } from '../../consent/suppressions/rules.ts';
import { suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import type { Domain } from '../../domains/model.ts';
import { domainNotVerified } from '../../domains/senders.ts';
import type { MailDeps } from '../deps.ts';

type VerifiedDomain = Pick<Domain, '_id' | 'domainName'>;

interface MailQuestion {
  projectId: ObjectId;
  /** The domain of the mail's From. */
  domainName: string;
  emails: string[];
}

interface MailFacts {
  /** null: not verified in this project. */
  domain: VerifiedDomain | null;
  suppressions: Map<string, SuppressionFact[]>;
}

const TOGETHER_MAX = 200;
const VERIFIED_KEPT_MS = 1_000;
const VERIFIED_KEPT_MAX = 1_000;

/** Read for every mail, so requests that arrive together share one read for each project. */
export function mailFacts(deps: MailDeps, question: MailQuestion): Promise<MailFacts> {
  return asker(deps)(question);
}

/** The domain of From must be verified; returns the suppressed addresses. */
export async function checkSender(
  deps: MailDeps,
  project: Pick<Project, '_id'>,
  from: { email: string; field: string },
  emails: string[],
): Promise<MailFacts['suppressions']> {
  const domainName = emailDomain(from.email);
  const facts = await mailFacts(deps, { projectId: project._id, domainName, emails });
  if (!facts.domain) throw domainNotVerified(from.field);
  return facts.suppressions;
}

const asker = oncePerCore((deps: MailDeps) => {
  const verified = new BoundedMap<string, { domain: VerifiedDomain; untilMs: number }>(VERIFIED_KEPT_MAX);

  /** Only verified domains are cached, for a second: a domain that was just verified works at once. */
  async function domainsOf(projectId: ObjectId, names: string[]): Promise<Map<string, VerifiedDomain>> {
    const keyOf = (name: string) => `${projectId.toHexString()} ${name}`;
    const now = performance.now();
    const found = new Map<string, VerifiedDomain>();
    for (const name of names) {
      const kept = verified.get(keyOf(name));
      if (kept && kept.untilMs > now) found.set(name, kept.domain);
    }
    const missing = names.filter((name) => !found.has(name));
    if (missing.length === 0) return found;
    const read = await deps.db.domains
      .find(
        { projectId, domainName: { $in: missing }, verificationStatus: 'VERIFIED' },
        { projection: { domainName: 1 } },
      )
      .toArray();
    for (const domain of read) {
      found.set(domain.domainName, domain);
      verified.set(keyOf(domain.domainName), { domain, untilMs: now + VERIFIED_KEPT_MS });
    }
    return found;
  }

  async function ofProject(questions: MailQuestion[]) {
    const { projectId } = questions[0]!;
    const [domains, suppressions] = await Promise.all([
      domainsOf(projectId, [...new Set(questions.map(({ domainName }) => domainName))]),
      suppressionsAgainst(
        deps,
        projectId,
        questions.flatMap(({ emails }) => emails),
      ),
    ]);
    return { domains, suppressions };
  }

  async function answer(questions: MailQuestion[]): Promise<MailFacts[]> {
    const byProject = Map.groupBy(questions, ({ projectId }) => projectId.toHexString());
    const facts = new Map(
      await Promise.all([...byProject].map(async ([key, some]) => [key, await ofProject(some)] as const)),
    );
    return questions.map(({ projectId, domainName }) => {
      const { domains, suppressions } = facts.get(projectId.toHexString())!;
      return { domain: domains.get(domainName) ?? null, suppressions };
    });
  }

  // One at a time: requests that arrive during a read share the next one, where two concurrent reads would make many small ones.
  return createBatcher(answer, { sizeMax: TOGETHER_MAX, runsMax: 1, callers: 'requests' });
});
