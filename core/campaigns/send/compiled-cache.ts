import type { Deps } from '../../base/deps.ts';
import { unprocessable } from '../../base/errors.ts';
import { type SendingDomain, sendingDomain } from '../../domains/sending-domain.ts';
import type { SendingDeps } from '../../outbox/relay.ts';
import type { Campaign, CampaignContent } from '../model.ts';
import { type CampaignFacts, type CompiledCampaign, compileCampaign } from './render.ts';

export interface SignedCampaign extends CompiledCampaign {
  /** The DKIM-Signature headers; '' where the relay signs. */
  sign(message: string, at: Date): Promise<string> | '';
}

const KEPT_MAX = 50;
const kept = new Map<string, CompiledCampaign>();

export async function compiledCampaign(deps: SendingDeps, { _id, projectId }: Campaign): Promise<SignedCampaign> {
  const content = await deps.db.campaignContents.findOne({ _id, projectId });
  if (!content) throw new Error('the campaign has no frozen content');
  const { compiled, domain } = await compileFrozen(deps, content);
  const { keys } = domain;
  return { ...compiled, sign: (message, at) => (keys.length === 0 ? '' : deps.signer.sign(message, keys, at)) };
}

/**
 * Compiled once per process for each campaign: frozen content does not change. Throws AppError when its domain is not verified
 * any more.
 */
export async function compileFrozen(
  deps: Deps,
  content: CampaignContent,
): Promise<{ compiled: CompiledCampaign; domain: SendingDomain }> {
  const domain = await sendingDomain(deps, content.projectId, content.domainName);
  if (!domain)
    throw unprocessable(
      'DOMAIN_NOT_VERIFIED',
      'The domain that the campaign is sent from is not verified any more.',
      'from: is not on a verified domain',
    );
  const key = `${content._id.toHexString()} ${content.frozenAt.getTime()} ${domain.returnHost}`;
  const compiled = kept.get(key) ?? (await compileOrSay(content, factsOf(deps, content, domain)));
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(key, compiled);
  return { compiled, domain };
}

async function compileOrSay(content: CampaignContent, facts: CampaignFacts): Promise<CompiledCampaign> {
  try {
    return await compileCampaign(content, facts);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw unprocessable('TEMPLATE_RENDER_FAILED', `No mail can be made of the template: ${why}`.slice(0, 500));
  }
}

function factsOf(
  { config }: Deps,
  { _id, projectId, groupId, domainName }: CampaignContent,
  { domain, returnHost }: SendingDomain,
): CampaignFacts {
  return {
    config,
    returnHost,
    listId: `${groupId?.toLowerCase() ?? 'default'}.${projectId}.${domainName}`,
    feedbackId: `${_id}:${projectId}:marketing:${domain._id.toHexString().slice(-12)}`,
  };
}
