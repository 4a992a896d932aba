import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { EverpostError, type PreviewDraftBody, type TemplatePreview } from '../../../client/index.ts';
import type { Content } from '../../../schemas/templates/block-types.ts';
import { api } from '../../api.ts';
import { usePreview } from '../page/preview.ts';
import type { Fault } from './code-mirror.ts';

export interface DraftPreview {
  mail: ReadonlySignal<TemplatePreview | null>;
  /** Of the HTML, at their places. */
  faults: ReadonlySignal<readonly Fault[]>;
  /** A save would be refused. */
  isAtFault: ReadonlySignal<boolean>;
  error: ReadonlySignal<unknown>;
  /** The mail shown is older than the text. */
  isOld: ReadonlySignal<boolean>;
}

/** The draft as a mail. */
export function useDraftPreview(draft: ReadonlySignal<PreviewDraftBody>): DraftPreview {
  const written = useMemo(() => computed(() => (draft.value.emailTemplate === '' ? null : draft.value)), [draft]);
  const preview = usePreview(written, (body, signal) => api.templates.previewDraft(body, { signal }));
  const { answer: mail, error, isOld } = preview;
  const faults = useMemo(() => computed(() => faultsOf(error.value)), [error]);
  const isAtFault = useMemo(
    () => computed(() => draft.value.emailTemplate === '' || faults.value.length > 0),
    [draft, faults],
  );
  return { mail, faults, isAtFault, error, isOld };
}

/** The layout around content blocks, or the part of mails that they are. */
export interface Frame {
  layoutId?: string | null;
  part?: 'layout' | 'snippet';
}

interface BlocksDraft extends Omit<PreviewDraftBody, 'emailTemplate'> {
  content: Content;
  frame?: Frame | undefined;
}

/** Content blocks as a mail, and the HTML that is made of them. */
export async function previewBlocks(
  { content, frame, ...draft }: BlocksDraft,
  signal: AbortSignal,
): Promise<{ mail: TemplatePreview; html: string }> {
  const html = await htmlOfBlocks(content, signal, frame);
  return { mail: await api.templates.previewDraft({ ...draft, emailTemplate: html }, { signal }), html };
}

export async function htmlOfBlocks(content: Content, signal?: AbortSignal, frame: Frame = {}): Promise<string> {
  const { html } = await api.templates.render({ content, ...frame } as never, signal && { signal });
  return html;
}

/** 'emailTemplate: line 3, column 5: is not closed', as the interface writes it. */
export function faultsOf(error: unknown): Fault[] {
  const details = error instanceof EverpostError ? (error.details ?? '') : '';
  return [...details.matchAll(/(?:emailTemplate|htmlTemplate): line (\d+), column (\d+): ([^;]+)/g)].map(
    ([, line, column, message]) => ({ line: Number(line), column: Number(column), message: message ?? '' }),
  );
}
