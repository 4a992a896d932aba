const STORED = 'everpost-return';
/** As long as a sign-in link works. */
const KEPT_MS = 15 * 60_000;

/** The page that a person came for: the link of the mail opens the console in another tab, at its beginning. */
export function keepReturn(address: string): void {
  try {
    localStorage.setItem(STORED, JSON.stringify({ address, at: Date.now() }));
  } catch {
    // A browser without room for it: the person finds the page by itself.
  }
}

/** Once. */
export function takeReturn(): string | null {
  try {
    const { address, at } = JSON.parse(localStorage.getItem(STORED) ?? 'null') ?? {};
    return typeof address === 'string' && Date.now() - at < KEPT_MS ? address : null;
  } catch {
    return null;
  } finally {
    removeReturn();
  }
}

export function removeReturn(): void {
  localStorage.removeItem(STORED);
}
