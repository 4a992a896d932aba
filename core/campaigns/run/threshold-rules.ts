const thresholds = {
  conservative: { bounced: 0.02, spamReported: 0.0005 },
  balanced: { bounced: 0.05, spamReported: 0.001 },
  aggressive: { bounced: 0.08, spamReported: 0.003 },
} as const;
type ThresholdPreset = keyof typeof thresholds;

/** Fewer are not enough for a decision. */
const STRETCH_MIN = 100;

/** Sent, bounced and complained about since the start or the last resume. */
export interface Stretch {
  sent: number;
  bounced: number;
  spamReported: number;
}

/** The sentence for pausedReason, with the figures; null while the campaign may continue. */
export function breachOf(preset: ThresholdPreset, { sent, bounced, spamReported }: Stretch): string | null {
  if (sent < STRETCH_MIN) return null;
  const limits = thresholds[preset];
  if (bounced / sent > limits.bounced) return sentence('bounced', bounced, sent, limits.bounced, preset);
  if (spamReported / sent > limits.spamReported)
    return sentence('reported as spam', spamReported, sent, limits.spamReported, preset);
  return null;
}

/** Whether a breach is possible when at least so many were sent: sending more only lowers the shares. */
export function maySpeak(preset: ThresholdPreset, { sent, bounced, spamReported }: Stretch): boolean {
  const limits = thresholds[preset];
  const base = Math.max(sent, STRETCH_MIN);
  return bounced > limits.bounced * base || spamReported > limits.spamReported * base;
}

function sentence(what: string, count: number, sent: number, limit: number, preset: ThresholdPreset): string {
  return `${count} of ${sent} sent were ${what} (${percent(count / sent)}), above the ${percent(limit)} of the ${preset} preset`;
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}
