import { type CompiledCampaign, compileCampaign } from './campaign-messages.ts';
import type { SendingDeps } from './deps.ts';
import { unprocessable } from './errors.ts';
import type { Campaign, CampaignContent } from './model.ts';
import { type SendingDomain, sendingDomain } from './sending-domains.ts';

export interface SignedCampaign extends CompiledCampaign {
  /** The DKIM-Signature header, or '' where the relay signs. */
  sign(message: string, at: Date): Promise<string>;
}

const KEPT_MAX = 50;
const kept = new Map<string, { compiled: CompiledCampaign; domain: SendingDomain }>();

/** Compiled once a process for each campaign: what is frozen does not change. */
export async function compiledCampaign(deps: SendingDeps, { _id, projectId }: Campaign): Promise<SignedCampaign> {
  const content = await deps.db.campaignContents.findOne({ _id, projectId });
  if (!content) throw new Error('a campaign without its frozen content');
  return signedCampaign(deps, content);
}

export async function signedCampaign(deps: SendingDeps, content: CampaignContent): Promise<SignedCampaign> {
  const domain = await sendingDomain(deps, content.projectId, content.domainName);
  if (!domain)
    throw unprocessable(
      'DOMAIN_NOT_VERIFIED',
      'The domain that the campaign is sent from is not verified any more.',
      'from: is not on a verified domain',
    );
  const key = `${content._id.toHexString()} ${content.frozenAt.getTime()} ${domain.returnHost}`;
  const known = kept.get(key) ?? { compiled: compileCampaign(content, factsOf(deps, content, domain)), domain };
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(key, known);
  const { keys } = domain;
  return {
    ...known.compiled,
    sign: (message, at) => (keys.length === 0 ? Promise.resolve('') : deps.signer.sign(message, keys, at)),
  };
}

function factsOf(
  { config }: SendingDeps,
  { _id, projectId, groupId, domainName }: CampaignContent,
  { domain, returnHost }: SendingDomain,
) {
  return {
    config,
    returnHost,
    listId: `${groupId?.toLowerCase() ?? 'default'}.${projectId}.${domainName}`,
    feedbackId: `${_id}:${projectId}:marketing:${domain._id.toHexString().slice(-12)}`,
  };
}
