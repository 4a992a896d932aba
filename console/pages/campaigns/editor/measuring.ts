import type { Campaign, UpdateCampaignBody } from '../../../../client/index.ts';

/** The fields of what is measured, and of when a campaign pauses; those of UTM as the interface names them in a refusal. */
export interface Measuring {
  /** project: as the settings of the project say, until the campaign is saved. */
  trackingOpen: 'project' | 'yes' | 'no';
  trackingClick: 'project' | 'yes' | 'no';
  thresholdPreset: Campaign['thresholdPreset'];
  'utm/source': string;
  'utm/medium': string;
  'utm/campaign': string;
  'utm/term': string;
  'utm/content': string;
}

export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const;

export function measuringOf(campaign: Campaign | null): Measuring {
  const { utm } = campaign ?? { utm: null };
  const tracked = (isOn: boolean | undefined) => (isOn === undefined ? 'project' : isOn ? 'yes' : 'no');
  return {
    trackingOpen: tracked(campaign?.trackingOpen),
    trackingClick: tracked(campaign?.trackingClick),
    thresholdPreset: campaign?.thresholdPreset ?? 'balanced',
    'utm/source': utm?.source ?? '',
    'utm/medium': utm?.medium ?? '',
    'utm/campaign': utm?.campaign ?? '',
    'utm/term': utm?.term ?? '',
    'utm/content': utm?.content ?? '',
  };
}

/** As the interface takes them: fields that are empty are left out, and without any of them there is no UTM. */
export function measuringBody(measuring: Measuring) {
  const { trackingOpen, trackingClick, thresholdPreset } = measuring;
  const given = utmNames.map((name) => [name, measuring[`utm/${name}`].trim()]).filter(([, value]) => value);
  return {
    thresholdPreset,
    utm: given.length > 0 ? Object.fromEntries(given) : null,
    ...(trackingOpen !== 'project' && { trackingOpen: trackingOpen === 'yes' }),
    ...(trackingClick !== 'project' && { trackingClick: trackingClick === 'yes' }),
  } satisfies UpdateCampaignBody;
}
