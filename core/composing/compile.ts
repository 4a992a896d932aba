import type { ObjectId } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import { breathe } from '../base/breathe.ts';
import type { Mailbox, Utm } from '../base/model.ts';
import type { Message } from '../outbox/model.ts';
import { compiled } from '../templates/cache.ts';
import { decorateHtml, htmlToText } from '../templates/html/links.ts';
import { scanHtml } from '../templates/html/scan.ts';
import { utmRewrite, withUtm } from '../templates/html/utm.ts';
import { CLOSE, hasMarks, needsWhole, OPEN } from '../templates/language/holes.ts';
import {
  type LinkNumbers,
  linkedParts,
  renderTemplate,
  type Template,
  type Variables,
} from '../templates/language/templates.ts';
import { compileMail, type MailSource } from '../templates/mail.ts';
import { clickUrls, messageIdOf, openPixelUrl, returnPath, unsubscribeAddress, unsubscribeUrl } from './links.ts';
import { compileMessage, type MessageParts, type Piece, type RecipientParts, type Skeleton } from './mime/compose.ts';
import { textOfHtml } from './plain-text.ts';
import type { MailRef } from './tokens.ts';

/** The part of a mail that all its recipients share. */
export interface SharedMail {
  config: Pick<Config, 'secretKeys' | 'publicUrl'>;
  projectId: ObjectId;
  source: MailSource;
  /** Of Message-IDs. */
  fromDomain: string;
  /** Of return paths: the MAIL FROM name when it is verified, else MAIL_HOST. */
  returnHost: string;
  marketing: boolean;
  groupId: string | null;
  trackingClick: boolean;
  trackingOpen: boolean;
  utm: Utm | null;
  parts: Omit<MessageParts, 'subject' | 'html' | 'text'>;
}

interface MailRecipient {
  messageId: ObjectId;
  copy?: Message['copy'];
  email: string;
  /** The To line. */
  to: Mailbox;
  /** The mail's Date, the same in every attempt. */
  at: Date;
  variables(unsubscribeUrl: string): Variables;
}

/** For `composeMessage`, and the sender of the envelope. */
export interface FilledMail {
  skeleton: Skeleton;
  recipient: RecipientParts;
  returnPath: string;
}

/** A promise where a long mail is rendered for this recipient alone, with pauses between the steps. */
export type FillMail = (recipient: MailRecipient) => FilledMail | Promise<FilledMail>;

interface Body {
  skeleton: Skeleton;
  values: string[];
}

type FillBody = (variables: Variables, ref: MailRef, unsubscribeUrl: string) => Body | Promise<Body>;

/** Rendered, scanned and encoded for each recipient. */
export function compileForOne(mail: SharedMail): FillMail {
  return filling(mail, wholeOf(mail));
}

/**
 * Does once everything that does not depend on the recipient: one mail costs only the recipient's part. Where the template does not
 * allow it, each mail is made as a whole.
 */
export async function compileForMany(mail: SharedMail): Promise<FillMail> {
  return filling(mail, (await holesOf(mail)) ?? wholeOf(mail));
}

function filling({ config, projectId, fromDomain, returnHost, marketing, groupId }: SharedMail, fill: FillBody) {
  return ({ messageId, copy, email, to, at, variables }: MailRecipient): FilledMail | Promise<FilledMail> => {
    const ref = { projectId, messageId };
    const url = unsubscribeUrl(config, ref, { groupId, email });
    const finish = ({ skeleton, values }: Body): FilledMail => ({
      skeleton,
      returnPath: returnPath(config, ref, returnHost),
      recipient: {
        to: [to],
        messageId: messageIdOf({ messageId, copy }, fromDomain),
        date: at,
        unsubscribe: marketing ? { url, mailto: unsubscribeAddress(config, ref, returnHost) } : null,
        values,
      },
    });
    const body = fill(variables(url), ref, url);
    return body instanceof Promise ? body.then(finish) : finish(body);
  };
}

function wholeOf({ config, source, parts, trackingOpen, trackingClick, utm }: SharedMail): FillBody {
  const target = targetOf(config, utm);
  const untracked = utm ? utmRewrite(utm, config.publicUrl) : undefined;
  const templates = compileMail(source);
  return async (variables, ref, link) => {
    const numbers: LinkNumbers = new Map();
    const html = templates.html && renderTemplate(templates.html, variables, numbers);
    await breathe(html);
    const text = templates.text
      ? renderTemplate(templates.text, variables)
      : templates.html && textOfHtml(templates.html, source.html ?? '', variables);
    await breathe(html);
    const decorated =
      html &&
      decorateHtml(html, {
        previewText: renderTemplate(templates.previewText, variables) || undefined,
        pixelUrl: trackingOpen ? openPixelUrl(config, ref) : undefined,
        rewriteLink: trackingClick ? (url, link) => clickUrls(config, target(url), link)(ref) : untracked,
        numbers,
        unsubscribeUrl: link,
      });
    await breathe(decorated);
    const subject = renderTemplate(templates.subject, variables);
    const skeleton = compileMessage({
      ...parts,
      subject: [subject],
      html: decorated === null ? null : [decorated],
      text: text === null ? null : [text],
    });
    await breathe(decorated);
    return { skeleton, values: [] };
  };
}

const HOLE = /\ue000(\d+)\ue001/g;
const STARTS_WITH_HOLE = /^\s*\ue000(\d+)\ue001/;
const PROBE = 'https://probe.invalid/unsubscribe';

/** null when the mail has to be rendered whole for each recipient. The text part is made of the HTML. */
async function holesOf(mail: SharedMail): Promise<FillBody | null> {
  const { config, source, parts, trackingOpen, trackingClick, utm } = mail;
  const target = targetOf(config, utm);
  const { html: page, subject, previewText } = source;
  if (page === null || needsWhole(page) || needsWhole(previewText) || hasMarks(subject)) return null;
  const makers: Array<(variables: Variables, mail: MailRef) => string> = [];
  const hole = (make: (typeof makers)[number]) => `${OPEN}${makers.push(make) - 1}${CLOSE}`;
  const marked = (template: Template, links?: LinkNumbers) => {
    let text = '';
    for (const part of linkedParts(template)) {
      if (typeof part === 'object') links?.set(text.length, part.link);
      else text += typeof part === 'string' ? part : hole(part);
    }
    return text;
  };
  const unsubscribes = new Set<number>();

  const numbers: LinkNumbers = new Map();
  const html = marked(compiled(page, 'html', 'html'), numbers);
  for (const [index, make] of makers.entries())
    if (make({ unsubscribe: PROBE }, {} as MailRef) === PROBE) unsubscribes.add(index);
  await breathe(html);
  let isWhole = false;
  const rewrites = trackingClick || utm !== null;
  const rewriteLink = (url: string, link: number | undefined) => {
    const holes = [...url.matchAll(HOLE)].map(([, index]) => Number(index));
    if (holes.some((index) => unsubscribes.has(index))) return null;
    if (holes.length > 0) isWhole = true;
    const to = target(url);
    if (!trackingClick) return to === url ? null : to;
    const urlOf = clickUrls(config, to, link);
    return hole((_variables, ref) => urlOf(ref));
  };
  const decorated = decorateHtml(html, {
    previewText: marked(compiled(previewText, 'html', 'previewText')) || undefined,
    ...(trackingOpen ? { pixelUrl: hole((_variables, mail) => openPixelUrl(config, mail)) } : {}),
    ...(rewrites ? { rewriteLink, numbers } : {}),
  });
  // A link that begins with a hole is not an http link to the scanner; it may become one.
  if (rewrites && linksAreHoles(html, unsubscribes)) isWhole = true;
  if (isWhole) return null;
  await breathe(html);
  const plain = htmlToText(marked(compiled(page, 'text', 'html')));
  await breathe(html);
  const skeleton = compileMessage({
    ...parts,
    subject: piecesOf(marked(compiled(subject, 'subject', 'subject'))),
    html: piecesOf(decorated),
    text: piecesOf(plain),
  });
  return (variables, mail) => ({ skeleton, values: makers.map((make) => make(variables, mail)) });
}

/** Where a link leads: to the address in the content, with the UTM parameters of the mail. */
function targetOf({ publicUrl }: Pick<Config, 'publicUrl'>, utm: Utm | null): (url: string) => string {
  return utm ? (url) => withUtm(url, utm, publicUrl) : (url) => url;
}

function linksAreHoles(html: string, unsubscribes: Set<number>): boolean {
  return scanHtml(html).links.some(({ url }) => {
    const index = STARTS_WITH_HOLE.exec(url)?.[1];
    return index !== undefined && !unsubscribes.has(Number(index));
  });
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(HOLE)) {
    if (match.index > at) pieces.push(text.slice(at, match.index));
    pieces.push(Number(match[1]));
    at = match.index + match[0].length;
  }
  if (at < text.length || pieces.length === 0) pieces.push(text.slice(at));
  return pieces;
}
