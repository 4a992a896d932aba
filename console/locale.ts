/** The console is in English: counts with commas, days before months. All formatters are made with these. */
export const OF_NUMBERS = 'en-US';
export const OF_TIMES = 'en-GB';

/** Of this browser: whose day is today. */
export const timezone = new Intl.DateTimeFormat(OF_TIMES).resolvedOptions().timeZone;

/**
 * On a system without a locale Chromium names itself `en-US@posix`, which formatters refuse. uPlot asks for that name when it is loaded,
 * so a name that is none is replaced before.
 */
if (!isLocale(navigator.language)) Object.defineProperty(navigator, 'language', { value: OF_TIMES });

function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0;
  } catch {
    return false;
  }
}
