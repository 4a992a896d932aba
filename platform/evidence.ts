import type { Evidence } from '../core/deps.ts';
import type { Config } from '../schemas/config.ts';

const ANSWER_MS = 5_000;

/** SMTP_EVIDENCE_URL?id=<Message-ID> answers {"accepted": true} or {"accepted": false}; anything else is no answer. */
export function createEvidence({ smtpEvidenceUrl }: Pick<Config, 'smtpEvidenceUrl'>): Evidence {
  if (smtpEvidenceUrl === '') return { isKnown: false, accepted: () => Promise.reject(new Error('no evidence URL')) };
  return {
    isKnown: true,
    async accepted(messageId) {
      const url = new URL(smtpEvidenceUrl);
      url.searchParams.set('id', messageId);
      const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' });
      const answer = response.ok ? ((await response.json()) as { accepted?: unknown }) : {};
      if (typeof answer.accepted !== 'boolean') throw new Error(`the evidence URL answered ${response.status}`);
      return answer.accepted;
    },
  };
}
