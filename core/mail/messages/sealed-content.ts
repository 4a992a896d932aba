import type { ObjectId } from 'mongodb';
import type { Config } from '../../../schemas/config.ts';
import type { Sealed } from '../../base/model.ts';
import { openSecret, SecretError, sealSecret } from '../../base/secrets.ts';
import type { Content } from '../ledger/model.ts';

/** The bodies of a mail with a secret link. */
export interface Bodies {
  html: string;
  text: string;
}

type Keys = Pick<Config, 'secretKeys'>;

export function sealBodies(config: Keys, contentId: ObjectId, bodies: Bodies): Sealed {
  return sealSecret(config, contextOf(contentId), JSON.stringify(bodies));
}

/** The content as it is composed; null: its key is gone, or the bytes were changed. */
export function openedContent(config: Keys, content: Content): Content | null {
  if (!content.sealed) return content;
  try {
    const bodies: Bodies = JSON.parse(openSecret(config, contextOf(content._id), content.sealed));
    return { ...content, ...bodies };
  } catch (error) {
    if (error instanceof SecretError) return null;
    throw error;
  }
}

function contextOf(contentId: ObjectId): string[] {
  return ['content', contentId.toHexString()];
}
