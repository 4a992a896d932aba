import type { Campaign, UpdateCampaignBody } from '../../../../client/index.ts';
import { textsOfUtm, type UtmTexts, utmIn } from '../../../parts/forms/utm.ts';

/** The fields of what is measured, and of when a campaign pauses; those of UTM as the interface names them in a refusal. */
export interface Measuring extends UtmTexts {
  /** project: as the settings of the project say, until the campaign is saved. */
  trackingOpen: 'project' | 'yes' | 'no';
  trackingClick: 'project' | 'yes' | 'no';
  thresholdPreset: Campaign['thresholdPreset'];
}

export function measuringOf(campaign: Campaign | null): Measuring {
  const tracked = (isOn: boolean | undefined) => (isOn === undefined ? 'project' : isOn ? 'yes' : 'no');
  return {
    trackingOpen: tracked(campaign?.trackingOpen),
    trackingClick: tracked(campaign?.trackingClick),
    thresholdPreset: campaign?.thresholdPreset ?? 'balanced',
    ...textsOfUtm(campaign?.utm),
  };
}

/** As the interface takes them. */
export function measuringBody(measuring: Measuring) {
  const { trackingOpen, trackingClick, thresholdPreset } = measuring;
  return {
    thresholdPreset,
    utm: utmIn(measuring),
    ...(trackingOpen !== 'project' && { trackingOpen: trackingOpen === 'yes' }),
    ...(trackingClick !== 'project' && { trackingClick: trackingClick === 'yes' }),
  } satisfies UpdateCampaignBody;
}
