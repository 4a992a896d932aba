import type { Config } from '../../../schemas/config.ts';
import type { Message } from '../ledger/model.ts';
import type { MailRef } from './tokens.ts';
import { clickTokens, mailLocalPart, mailLocalParts, openToken, unsubscribeToken, viewToken } from './tokens.ts';

type Links = Pick<Config, 'secretKeys' | 'publicUrl'>;

/** Links and addresses that belong to a single mail. */
export function unsubscribeUrl(config: Links, ref: MailRef, to: { groupId: string | null; email: string }): string {
  return `${config.publicUrl}/u/${unsubscribeToken(config, { ...ref, ...to })}`;
}

/** The pages of a mail, under the names that templates have for them. */
export interface MailPages {
  unsubscribe: string;
  preferencesUrl: string;
  /** Empty where no template names it. */
  viewInBrowserUrl: string;
}

const NOWHERE = 'https://page.invalid/';
/** Of trial renderings, which are not sent. */
export const TRIAL_PAGES: MailPages = { unsubscribe: NOWHERE, preferencesUrl: NOWHERE, viewInBrowserUrl: NOWHERE };

/** Unsubscribing and preferences share a token; the one of the view is made for mails that show it. */
export function mailPages(
  config: Links,
  ref: MailRef,
  { showsView, ...to }: { groupId: string | null; email: string; showsView: boolean },
): MailPages {
  const token = unsubscribeToken(config, { ...ref, ...to });
  return {
    unsubscribe: `${config.publicUrl}/u/${token}`,
    preferencesUrl: `${config.publicUrl}/p/${token}`,
    viewInBrowserUrl: showsView ? `${config.publicUrl}/v/${viewToken(config, ref)}` : '',
  };
}

export function openPixelUrl(config: Links, ref: MailRef): string {
  return `${config.publicUrl}/t/o/${openToken(config, ref)}.gif`;
}

/** The addresses of a link in many mails. `link` is its number in the content; undefined where the link came with the data. */
export function clickUrls(config: Links, target: string, link: number | undefined): (ref: MailRef) => string {
  const tokenOf = clickTokens(config, target, link);
  return (ref) => `${config.publicUrl}/t/c/${tokenOf(ref)}`;
}

export function returnPath(config: Links, ref: MailRef, host: string): string {
  return `${mailLocalPart(config, 'b', ref)}@${host}`;
}

/** The mailto of List-Unsubscribe in many mails of a group. */
export function unsubscribeAddresses(config: Links, groupId: string | null, host: string): (ref: MailRef) => string {
  const localPartOf = mailLocalParts(config, 'u', groupId);
  return (ref) => `${localPartOf(ref)}@${host}?subject=unsubscribe`;
}

/**
 * Without < and >. The same in every attempt, so that a repeated mail is recognized. A copy has the id of its mail and its index
 * there, since the relay is asked about each copy separately.
 */
export function messageIdOf(
  { messageId, copy }: Pick<MailRef, 'messageId'> & Pick<Message, 'copy'>,
  fromDomain: string,
): string {
  const id = (copy?.of ?? messageId).toHexString();
  return `${copy && copy.index > 0 ? `${id}.${copy.index}` : id}@${fromDomain}`;
}
