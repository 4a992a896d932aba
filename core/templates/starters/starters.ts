import type { Content } from '../../../schemas/templates/block-types.ts';
import type { StarterLanguage } from '../../../schemas/templates/starters.ts';
import { compileContent } from '../blocks/content.ts';
import { announcement } from './announcement.ts';
import { consent } from './consent.ts';
import { digest } from './digest.ts';
import { event } from './event.ts';
import { letter } from './letter.ts';
import { newsletter } from './newsletter.ts';
import { password } from './password.ts';
import { placedAt } from './pictures/pictures.ts';
import { receipt } from './receipt.ts';
import { sale } from './sale.ts';
import { survey } from './survey.ts';
import { welcome } from './welcome.ts';
import { winBack } from './win-back.ts';
import type { Starter } from './words.ts';

const starters: readonly Starter[] = [
  newsletter,
  announcement,
  welcome,
  sale,
  event,
  digest,
  survey,
  winBack,
  consent,
  letter,
  receipt,
  password,
];

export interface WrittenStarter extends Omit<Starter, 'written'> {
  subject: string;
  previewText: string;
  content: Content;
  html: string;
}

const written = new Map<string, readonly WrittenStarter[]>();

/** Mails to begin with. They are the same for everybody, so each is compiled once. */
export function startersIn(language: StarterLanguage, publicUrl: string): readonly WrittenStarter[] {
  const key = `${language} ${publicUrl}`;
  const known = written.get(key) ?? starters.map((one) => writtenIn(one, language, publicUrl));
  written.set(key, known);
  return known;
}

function writtenIn({ written: by, ...about }: Starter, language: StarterLanguage, publicUrl: string): WrittenStarter {
  const { subject, previewText, look, ...plan } = by[language];
  const blocks = placedAt(plan.blocks, publicUrl);
  const content: Content = { v: 1, look, blocks };
  return { ...about, subject, previewText, content, html: compileContent(content).html };
}
