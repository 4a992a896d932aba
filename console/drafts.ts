/** Every draft begins with it, so that signing out finds them. */
const STORED = 'everpost-draft';

/** The text of a page that is not saved. */
interface Draft {
  values: object;
  /** The state that was changed: another one may have been saved since. */
  savedAt: string | null;
  at: string;
}

export function draftName(member: string, projectId: string, page: string): string {
  return [STORED, member, projectId, page].join(' ');
}

export function keptDraft(name: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

export function keepDraft(name: string, draft: Draft): void {
  try {
    localStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // A browser without room for it: the page still asks before it is left.
  }
}

export function removeDraft(name: string): void {
  localStorage.removeItem(name);
}

/** Of all who used this browser. */
export function removeDrafts(): void {
  for (const name of allDrafts()) removeDraft(name);
}

export function allDrafts(): string[] {
  return Object.keys(localStorage).filter((name) => name.startsWith(`${STORED} `));
}
