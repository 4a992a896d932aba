import { escapeHtml } from '../../core/base/text/html.ts';
import { textsIn } from '../../core/base/text/languages/index.ts';
import { neutralLook } from '../../core/base/text/look.ts';
import { withoutEnd } from '../../core/base/text/text-ends.ts';
import type { Config } from '../../schemas/config.ts';
import { Page } from '../http/endpoint.ts';
import { page, pageHeaders } from './layout.ts';

/**
 * Browsers leave Origin out of forms of pages with the policy no-referrer. This one keeps Origin, and the path with the token out of
 * Referer.
 */
const headers = { 'Referrer-Policy': 'strict-origin' };
/** The console speaks English. */
const consolePage = { texts: textsIn('en'), look: { ...neutralLook(), name: 'Everpost' }, headers };

/** On this server, however it is called; PUBLIC_URL may have a path. */
export function consolePath({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return `${withoutEnd(new URL(publicUrl).pathname, '/')}/console`;
}

/** The address is shown, since a link may be a stranger's own. The button posts to the URL of the page itself. */
export function signInPage(email: string): Page {
  const address = `<strong>${escapeHtml(email)}</strong>`;
  return page({
    ...consolePage,
    title: 'Sign in',
    body: `<h1>Sign in?</h1>
<p>You will be signed in as ${address}.</p>
<form method="post" action="">
<button type="submit">Sign in</button>
</form>
<p class="note">This link works once. If this is not your address, close the page.</p>`,
  });
}

/** The same page for a link that was used, that expired, and that never was. */
export function linkOver(path: string): Page {
  return page({
    ...consolePage,
    status: 404,
    title: 'Link not valid',
    body: `<h1>This link does not work any more</h1>
<p>A link works once, for 15 minutes. <a href="${escapeHtml(path)}">Ask for another one.</a></p>`,
  });
}

/** For a person who has opened the page under another name than that of PUBLIC_URL, and for forms of other sites. */
export function wrongOrigin(own: string): Page {
  return page({
    ...consolePage,
    status: 403,
    title: 'Not signed in',
    body: `<h1>You are not signed in</h1>
<p>This installation signs people in at <strong>${escapeHtml(own)}</strong> alone. Open the link there.</p>`,
  });
}

/** To the console, with the cookie. */
export function signedIn(path: string, cookie: string): Page {
  return new Page(303, { ...pageHeaders, ...headers, Location: path, 'Set-Cookie': cookie }, null);
}
