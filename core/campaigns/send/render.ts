import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { Config } from '../../../schemas/config.ts';
import { breathe } from '../../base/breathe.ts';
import type { Mailbox } from '../../base/model.ts';
import {
  clickUrl,
  messageIdOf,
  openPixelUrl,
  returnPath,
  unsubscribeAddress,
  unsubscribeUrl,
} from '../../composing/links.ts';
import {
  compileMessage,
  composeMessage,
  type MessageParts,
  type Piece,
  type Skeleton,
} from '../../composing/mime/compose.ts';
import type { MailRef } from '../../composing/tokens.ts';
import { variablesOf } from '../../composing/variables.ts';
import type { Contact } from '../../contacts/model.ts';
import { compiled } from '../../templates/cache.ts';
import { decorateHtml, htmlToText } from '../../templates/html/links.ts';
import { scanHtml } from '../../templates/html/scan.ts';
import { CLOSE, hasMarks, needsWhole, OPEN } from '../../templates/language/holes.ts';
import { renderTemplate, type Template, templateParts, type Variables } from '../../templates/language/templates.ts';
import type { CampaignContent } from '../model.ts';

export interface CampaignRecipient {
  messageId: ObjectId;
  email: string;
  contact: Contact | null;
  /** The mail's Date, the same in every attempt. */
  at: Date;
}

/** A campaign with everything done that does not depend on the recipient: composing one mail costs only the recipient's part. */
export interface CompiledCampaign {
  content: CampaignContent;
  /** Contacts must be read: a template names one of their fields. */
  needsContacts: boolean;
  /** Returns a promise where a long mail is rendered whole for each recipient, with pauses between the steps. */
  compose(recipient: CampaignRecipient): string | Promise<string>;
  returnPath(messageId: ObjectId): string;
  messageIdOf(messageId: ObjectId): string;
}

type Links = Pick<Config, 'secretKeys' | 'publicUrl'>;

export interface CampaignFacts {
  config: Links;
  /** The host of return paths: the MAIL FROM name when it is verified, else MAIL_HOST. */
  returnHost: string;
  listId: string;
  feedbackId: string;
}

export async function compileCampaign(content: CampaignContent, facts: CampaignFacts): Promise<CompiledCampaign> {
  const { config, returnHost } = facts;
  const source = await readTemplates(content);
  const fill = (await holesOf(content, source, facts)) ?? wholeOf(content, source, facts);
  const refOf = (messageId: ObjectId): MailRef => ({ projectId: content.projectId, messageId });
  const compiledTemplates = [source.html, source.subject, source.preview];
  return {
    content,
    needsContacts: compiledTemplates.some(({ paths }) => paths.some((path) => !OF_THE_MAIL.includes(path))),
    compose({ messageId, email, contact, at }) {
      const ref = refOf(messageId);
      const unsubscribe = unsubscribeUrl(config, ref, { groupId: content.groupId, email });
      // Properties by their bare names too; built-in names win.
      const variables = {
        ...contact?.contactProperties,
        ...variablesOf({ email, at, unsubscribeUrl: unsubscribe, contact }),
      };
      const finish = ({ skeleton, values }: Filled) =>
        composeMessage(skeleton, {
          to: [mailboxOf(email, contact)],
          messageId: messageIdOf(ref, content.domainName),
          date: at,
          unsubscribe: { url: unsubscribe, mailto: unsubscribeAddress(config, ref, returnHost) },
          values,
        });
      const filled = fill(variables, ref, unsubscribe);
      return filled instanceof Promise ? filled.then(finish) : finish(filled);
    },
    returnPath: (messageId) => returnPath(config, refOf(messageId), returnHost),
    messageIdOf: (messageId) => messageIdOf(refOf(messageId), content.domainName),
  };
}

/** Variables that need no contact to be read. */
const OF_THE_MAIL = ['email', 'date', 'unsubscribe'];

interface Filled {
  skeleton: Skeleton;
  values: string[];
}

type Fill = (variables: Variables, mail: MailRef, unsubscribeUrl: string) => Filled | Promise<Filled>;

interface Source {
  html: Template;
  text: Template;
  subject: Template;
  preview: Template;
  previewPlain: Template;
}

async function readTemplates({ html: source, subject, previewText }: CampaignContent): Promise<Source> {
  const html = compiled(source, 'html', 'htmlTemplate');
  await breathe(source);
  return {
    html,
    text: compiled(source, 'text', 'htmlTemplate'),
    subject: compiled(subject, 'subject', 'subject'),
    preview: compiled(previewText, 'html', 'previewText'),
    previewPlain: compiled(previewText, 'subject', 'previewText'),
  };
}

function mailboxOf(email: string, contact: Contact | null): Mailbox {
  const name = [contact?.firstName, contact?.lastName].filter(Boolean).join(' ');
  return { email, name };
}

function sharedParts(
  content: CampaignContent,
  { listId, feedbackId }: CampaignFacts,
): Omit<MessageParts, 'subject' | 'html' | 'text'> {
  const boundary = createHash('sha256').update(content._id.id).digest('hex').slice(0, 24);
  return { from: content.from, replyTo: content.replyTo, listId, feedbackId, bulk: true, boundary };
}

const HOLE = /\ue000(\d+)\ue001/g;
const STARTS_WITH_HOLE = /^\s*\ue000(\d+)\ue001/;
const PROBE = 'https://probe.invalid/unsubscribe';

/** null when the mail has to be rendered whole for each recipient. */
async function holesOf(content: CampaignContent, source: Source, facts: CampaignFacts): Promise<Fill | null> {
  if (needsWhole(content.html) || needsWhole(content.previewText) || hasMarks(content.subject)) return null;
  const { config } = facts;
  const makers: Array<(variables: Variables, mail: MailRef) => string> = [];
  const hole = (make: (typeof makers)[number]) => `${OPEN}${makers.push(make) - 1}${CLOSE}`;
  const marked = (template: Template) =>
    templateParts(template)
      .map((part) => (typeof part === 'string' ? part : hole(part)))
      .join('');
  const unsubscribes = new Set<number>();

  const html = marked(source.html);
  for (const [index, make] of makers.entries())
    if (make({ unsubscribe: PROBE }, {} as MailRef) === PROBE) unsubscribes.add(index);
  await breathe(html);
  let isWhole = false;
  const decorated = decorateHtml(html, {
    previewText: marked(source.preview) || undefined,
    ...(content.trackingOpen ? { pixelUrl: hole((_variables, mail) => openPixelUrl(config, mail)) } : {}),
    ...(content.trackingClick
      ? {
          rewriteLink: (url: string) => {
            const holes = [...url.matchAll(HOLE)].map(([, index]) => Number(index));
            if (holes.some((index) => unsubscribes.has(index))) return null;
            if (holes.length > 0) isWhole = true;
            return hole((_variables, mail) => clickUrl(config, mail, url));
          },
        }
      : {}),
  });
  // A link that begins with a hole is not an http link to the scanner; it may become one.
  if (content.trackingClick && linksAreHoles(html, unsubscribes)) isWhole = true;
  if (isWhole) return null;
  await breathe(html);
  const plain = htmlToText(marked(source.text));
  await breathe(html);
  const skeleton = compileMessage({
    ...sharedParts(content, facts),
    subject: piecesOf(marked(source.subject)),
    html: piecesOf(decorated),
    text: piecesOf(plain),
  });
  return (variables, mail) => ({ skeleton, values: makers.map((make) => make(variables, mail)) });
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

/** Rendered, scanned and encoded again for each recipient: right for every template, but slower. */
function wholeOf(content: CampaignContent, source: Source, facts: CampaignFacts): Fill {
  const { config } = facts;
  return async (variables, mail, unsubscribeUrl) => {
    const html = renderTemplate(source.html, variables);
    await breathe(html);
    const decorated = decorateHtml(html, {
      previewText: renderTemplate(source.previewPlain, variables) || undefined,
      unsubscribeUrl,
      ...(content.trackingOpen ? { pixelUrl: openPixelUrl(config, mail) } : {}),
      ...(content.trackingClick ? { rewriteLink: (url: string) => clickUrl(config, mail, url) } : {}),
    });
    await breathe(html);
    const text = htmlToText(html);
    await breathe(html);
    const skeleton = compileMessage({
      ...sharedParts(content, facts),
      subject: [renderTemplate(source.subject, variables)],
      html: [decorated],
      text: [text],
    });
    return { skeleton, values: [] };
  };
}
