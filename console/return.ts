const STORED = 'everpost-return';
/** When the person last signed out; removed when a session begins. */
const SIGNED_OUT = 'everpost-signed-out';
/** As long as a sign-in link works. */
const KEPT_MS = 15 * 60_000;

/** The page that a person came for: the link of the mail opens the console in another tab, at its beginning. */
export function keepReturn(address: string): void {
  try {
    // A tab that was open when the person signed out, here or in another tab, leaves no address behind.
    if (performance.timeOrigin < Number(localStorage.getItem(SIGNED_OUT))) return;
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

function removeReturn(): void {
  localStorage.removeItem(STORED);
}

/** Before the session ends, since other tabs may see its end first. */
export function noteSignOut(): void {
  localStorage.setItem(SIGNED_OUT, String(Date.now()));
  removeReturn();
}

export function noteSession(): void {
  localStorage.removeItem(SIGNED_OUT);
}
