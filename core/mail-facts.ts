import type { ObjectId } from 'mongodb';
import type { Deps } from './deps.ts';
import { group } from './group.ts';
import type { Domain } from './model.ts';
import type { SuppressionFact } from './rules/suppression.ts';
import { suppressionsAgainst } from './suppressions.ts';

export interface MailQuestion {
  projectId: ObjectId;
  /** The domain that the mail is to come from. */
  domainName: string;
  emails: string[];
}

export interface MailFacts {
  /** null: not verified in this project. */
  domain: Pick<Domain, '_id' | 'domainName'> | null;
  suppressions: Map<string, SuppressionFact[]>;
}

const TOGETHER_MAX = 200;
const joined = new WeakMap<object, (question: MailQuestion) => Promise<MailFacts>>();

/** Read for every mail, so requests that come together are answered from one read of each project. */
export function mailFacts(deps: Deps, question: MailQuestion): Promise<MailFacts> {
  const known = joined.get(deps.db);
  if (known) return known(question);
  const ask = group<MailQuestion, MailFacts>((questions) => answer(deps, questions), {
    sizeMax: TOGETHER_MAX,
    runsMax: 2,
  });
  joined.set(deps.db, ask);
  return ask(question);
}

async function answer(deps: Deps, questions: MailQuestion[]): Promise<MailFacts[]> {
  const byProject = Map.groupBy(questions, ({ projectId }) => projectId.toHexString());
  const facts = new Map(
    await Promise.all([...byProject].map(async ([key, some]) => [key, await ofProject(deps, some)] as const)),
  );
  return questions.map(({ projectId, domainName }) => {
    const { domains, suppressions } = facts.get(projectId.toHexString())!;
    return { domain: domains.get(domainName) ?? null, suppressions };
  });
}

async function ofProject(deps: Deps, questions: MailQuestion[]) {
  const { projectId } = questions[0]!;
  const domainNames = [...new Set(questions.map(({ domainName }) => domainName))];
  const [domains, suppressions] = await Promise.all([
    deps.db.domains
      .find(
        { projectId, domainName: { $in: domainNames }, verificationStatus: 'VERIFIED' },
        { projection: { domainName: 1 } },
      )
      .toArray(),
    suppressionsAgainst(
      deps,
      projectId,
      questions.flatMap(({ emails }) => emails),
    ),
  ]);
  return { domains: new Map(domains.map((domain) => [domain.domainName, domain])), suppressions };
}
