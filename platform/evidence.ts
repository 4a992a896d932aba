import type { Evidence } from '../core/base/deps.ts';
import type { Config } from '../schemas/config.ts';

const ANSWER_MS = 5_000;

/** SMTP_EVIDENCE_URL?id=<Message-ID> answers {"accepted": true} or {"accepted": false}; any other answer counts as none. */
export function createEvidence({ smtpEvidenceUrl }: Pick<Config, 'smtpEvidenceUrl'>): Evidence {
  if (smtpEvidenceUrl === '') return { isKnown: false, accepted: () => Promise.reject(new Error('no evidence URL')) };
  return {
    isKnown: true,
    /** With angle brackets and without: services store Message-IDs in either form. */
    async accepted(messageId) {
      const bare = messageId.replace(/^<(.*)>$/, '$1');
      return (await ask(smtpEvidenceUrl, `<${bare}>`)) || (await ask(smtpEvidenceUrl, bare));
    },
  };
}

async function ask(evidenceUrl: string, id: string): Promise<boolean> {
  const url = new URL(evidenceUrl);
  url.searchParams.set('id', id);
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' });
  const answer = response.ok ? ((await response.json()) as { accepted?: unknown }) : {};
  if (typeof answer.accepted !== 'boolean') throw new Error(`the evidence URL answered ${response.status}`);
  return answer.accepted;
}
