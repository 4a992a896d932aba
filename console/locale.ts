/** The console is in English: counts with commas, days before months. All formatters are made with these. */
export const OF_NUMBERS = 'en-US';
export const OF_TIMES = 'en-GB';

/** Of this browser: whose day is today. */
export const timezone = new Intl.DateTimeFormat(OF_TIMES).resolvedOptions().timeZone;

/** The zones to choose from, with one that was chosen, which may have another name. */
export function zonesWith(chosen: string): Array<{ value: string; label: string }> {
  const zones = [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].filter(Boolean).sort();
  return zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }));
}

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
