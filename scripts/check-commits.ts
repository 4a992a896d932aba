import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Commits up to this one have other forms. */
const SINCE = 'a1685cd15aa6f09085bfa2b0c2b6b9f6d6230af5';
const SUBJECT_MAX = 72;
/** Commands of package.json are areas too, such as check:api. */
const SUBJECT = /^[a-z][a-z0-9:-]*(?:, [a-z][a-z0-9-]*)*: ([a-z][a-z'-]*)(?= )/;
const OTHER_FORM = /(?:ed|ing|[^s]s)$/;
/** Verbs that end like another form of a verb. */
const IMPERATIVES = new Set(['bring', 'embed', 'feed', 'focus', 'need', 'seed', 'shed', 'speed']);

/** The subjects of the commits after `since` that are not as CONTRIBUTING.md says; null where the history cannot be read. */
export function checkCommits(folder: string, since: string): string[] | null {
  const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${since}..HEAD`], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) return null;
  return stdout.split('\n').flatMap((line) => {
    const [commit, ...words] = line.split(' ');
    const fault = commit && faultOf(words.join(' '));
    return fault ? [`${line}\n  ${fault}`] : [];
  });
}

function faultOf(subject: string): string | null {
  if (subject.length > SUBJECT_MAX) return `It has ${subject.length} characters; ${SUBJECT_MAX} are allowed.`;
  const [, verb] = SUBJECT.exec(subject) ?? [];
  if (!verb) return 'Write "area: imperative", in small letters: "campaigns: count the ledger once".';
  const isOther = OTHER_FORM.test(verb) && !IMPERATIVES.has(verb);
  return isOther ? `Write an imperative behind the area ("count"), not "${verb}".` : null;
}

if (import.meta.main) {
  const faults = checkCommits(join(import.meta.dirname, '..'), SINCE);
  if (faults === null) console.log('Commits are not checked: there is no git, or this clone has no history.');
  else if (faults.length > 0) console.error(`${faults.join('\n')}\nCONTRIBUTING.md describes commits.`);
  process.exitCode = faults?.length ? 1 : 0;
}
