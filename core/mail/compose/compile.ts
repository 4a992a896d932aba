import type { ObjectId } from 'mongodb';
import type { Config } from '../../../schemas/config.ts';
import type { Mailbox, Utm } from '../../base/model.ts';
import { breathe } from '../../base/work/breathe.ts';
import { compiled } from '../../templates/cache.ts';
import { decorateHtml, htmlToText } from '../../templates/html/links.ts';
import { scanHtml } from '../../templates/html/scan.ts';
import { utmRewrite, withUtm, withUtmInText } from '../../templates/html/utm.ts';
import { CLOSE, hasMarks, needsWhole, OPEN } from '../../templates/language/holes.ts';
import {
  type LinkNumbers,
  linkedParts,
  renderTemplate,
  type Template,
  type Variables,
} from '../../templates/language/templates.ts';
import { compileMail, type MailSource, type MailTemplates } from '../../templates/mail.ts';
import type { Message } from '../ledger/model.ts';
import { compiledHeaders } from './headers.ts';
import {
  clickUrls,
  type MailPages,
  mailPages,
  messageIdOf,
  openPixelUrl,
  returnPath,
  unsubscribeAddresses,
} from './links.ts';
import {
  compileMessage,
  type MessageParts,
  type Piece,
  pageOf,
  plainOf,
  type RecipientParts,
  type Skeleton,
} from './mime/compose.ts';
import { renderMail, untrackedLinks } from './render.ts';
import type { MailRef } from './tokens.ts';
import { showsView } from './variables.ts';

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
  /** Besides those of the parts: sources of values, by name. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The numbers under which clicks are counted; left out: those of the links in this source. */
  linkNumber?: ((link: number | undefined) => number | undefined) | undefined;
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
  variables(pages: MailPages): Variables;
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

type FillBody = (variables: Variables, ref: MailRef, pages: MailPages) => Body | Promise<Body>;

/** Rendered, scanned and encoded for each recipient. */
export function compileForOne(mail: SharedMail): FillMail {
  const templates = compileMail(mail.source);
  return filling(mail, templates, wholeOf(mail, templates));
}

/**
 * Does once everything that does not depend on the recipient: one mail costs only the recipient's part. Where the template does not
 * allow it, each mail is made as a whole.
 */
export async function compileForMany(mail: SharedMail): Promise<FillMail> {
  const templates = compileMail(mail.source);
  return filling(mail, templates, (await holesOf(mail)) ?? wholeOf(mail, templates));
}

function filling(
  { config, projectId, fromDomain, returnHost, marketing, groupId }: SharedMail,
  templates: MailTemplates,
  fill: FillBody,
) {
  const shared = { groupId, showsView: showsView(templates) };
  const unsubscribeAddress = unsubscribeAddresses(config, groupId, returnHost);
  return ({ messageId, copy, email, to, at, variables }: MailRecipient): FilledMail | Promise<FilledMail> => {
    const ref = { projectId, messageId };
    const pages = mailPages(config, ref, { ...shared, email });
    const finish = ({ skeleton, values }: Body): FilledMail => ({
      skeleton,
      returnPath: returnPath(config, ref, returnHost),
      recipient: {
        to: [to],
        messageId: messageIdOf({ messageId, copy }, fromDomain),
        date: at,
        unsubscribe: marketing ? { url: pages.unsubscribe, mailto: unsubscribeAddress(ref) } : null,
        values,
      },
    });
    const body = fill(variables(pages), ref, pages);
    return body instanceof Promise ? body.then(finish) : finish(body);
  };
}

function wholeOf(
  { config, source, parts, trackingOpen, trackingClick, utm, headers = {}, linkNumber = sameNumber }: SharedMail,
  templates: MailTemplates,
): FillBody {
  const target = targetOf(config, utm);
  const untracked = untrackedLinks(config, utm);
  const named = compiledHeaders(headers);
  return async (variables, ref, pages) => {
    const { subject, html, text } = await renderMail({ source, templates, untracked }, variables, {
      pixelUrl: trackingOpen ? openPixelUrl(config, ref) : undefined,
      trackedLink: trackingClick ? (url, link) => clickUrls(config, target(url), linkNumber(link))(ref) : undefined,
      pages,
    });
    const texts = { html: html === null ? null : [html], text: text === null ? null : [text] };
    const filled = named.map(([name, value]) => ({ name, value: [renderTemplate(value, variables)] }));
    const skeleton = await compileInTurns({ ...parts, filled, subject: [subject], ...texts }, html ?? text);
    return { skeleton, values: [] };
  };
}

/** Encoding a long text takes some milliseconds. */
async function compileInTurns(parts: MessageParts, longest: string | null): Promise<Skeleton> {
  const page = pageOf(parts);
  await breathe(longest);
  const plain = plainOf(parts);
  await breathe(longest);
  const skeleton = compileMessage(parts, { page, plain });
  await breathe(longest);
  return skeleton;
}

const HOLE = /\ue000(\d+)\ue001/g;
const STARTS_WITH_HOLE = /^\s*\ue000(\d+)\ue001/;
const PROBE = 'https://probe.invalid/';
const PROBES = { unsubscribe: PROBE, preferencesUrl: PROBE, viewInBrowserUrl: PROBE } satisfies MailPages;

/** null when the mail has to be rendered whole for each recipient. Without a text part it is made of the HTML. */
async function holesOf(mail: SharedMail): Promise<FillBody | null> {
  const { config, source, parts, trackingOpen, trackingClick, utm, headers = {}, linkNumber = sameNumber } = mail;
  const target = targetOf(config, utm);
  const { html: page, text: given, subject, previewText } = source;
  const isWhole = page === null || [page, given ?? '', previewText].some(needsWhole);
  if (isWhole || [subject, ...Object.values(headers)].some(hasMarks)) return null;
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
  const own = new Set<number>();

  const numbers: LinkNumbers = new Map();
  const html = marked(compiled(page, 'html', 'html'), numbers);
  for (const [index, make] of makers.entries()) if (make(PROBES, {} as MailRef) === PROBE) own.add(index);
  await breathe(html);
  let isPersonal = false;
  const rewrites = trackingClick || utm !== null;
  const rewriteLink = (url: string, link: number | undefined) => {
    const holes = [...url.matchAll(HOLE)].map(([, index]) => Number(index));
    if (holes.some((index) => own.has(index))) return null;
    if (holes.length > 0) isPersonal = true;
    const to = target(url);
    if (!trackingClick) return to === url ? null : to;
    const urlOf = clickUrls(config, to, linkNumber(link));
    return hole((_variables, ref) => urlOf(ref));
  };
  const decorated = decorateHtml(html, {
    previewText: marked(compiled(previewText, 'html', 'previewText')) || undefined,
    ...(trackingOpen ? { pixelUrl: hole((_variables, mail) => openPixelUrl(config, mail)) } : {}),
    ...(rewrites ? { rewriteLink, numbers } : {}),
  });
  // A link that begins with a hole is not an http link to the scanner; it may become one.
  if (rewrites && linksAreHoles(html, own)) isPersonal = true;
  if (isPersonal) return null;
  await breathe(html);
  const rewrite = utm ? utmRewrite(utm, config.publicUrl) : undefined;
  const text = marked(compiled(given ?? page, 'text', given === null ? 'html' : 'text'));
  const plain =
    given === null
      ? htmlToText(rewrite ? decorateHtml(text, { rewriteLink: rewrite }) : text)
      : withUtmInText(text, rewrite);
  await breathe(html);
  const texts = { html: piecesOf(decorated), text: piecesOf(plain) };
  const shownSubject = piecesOf(marked(compiled(subject, 'subject', 'subject')));
  const filled = compiledHeaders(headers).map(([name, value]) => ({ name, value: piecesOf(marked(value)) }));
  const skeleton = await compileInTurns({ ...parts, filled, subject: shownSubject, ...texts }, html);
  return (variables, mail) => ({ skeleton, values: makers.map((make) => make(variables, mail)) });
}

function sameNumber(link: number | undefined): number | undefined {
  return link;
}

/** Where a link leads: to the address in the content, with the UTM parameters of the mail. */
function targetOf({ publicUrl }: Pick<Config, 'publicUrl'>, utm: Utm | null): (url: string) => string {
  return utm ? (url) => withUtm(url, utm, publicUrl) : (url) => url;
}

/** `own`: the holes of pages of the mail, which are never tracked. */
function linksAreHoles(html: string, own: Set<number>): boolean {
  return scanHtml(html).links.some(({ url }) => {
    const index = STARTS_WITH_HOLE.exec(url)?.[1];
    return index !== undefined && !own.has(Number(index));
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
