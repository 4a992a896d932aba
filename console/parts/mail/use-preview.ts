import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { EverpostError, type PreviewDraftBody, type TemplatePreview } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { usePreview } from '../page/preview.ts';
import type { Fault } from './code-mirror.ts';

export interface DraftPreview {
  mail: ReadonlySignal<TemplatePreview | null>;
  /** Of the HTML, at their places. */
  faults: ReadonlySignal<readonly Fault[]>;
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
  return { mail, faults, error, isOld };
}

/** 'emailTemplate: line 3, column 5: is not closed', as the interface writes it. */
export function faultsOf(error: unknown): Fault[] {
  const details = error instanceof EverpostError ? (error.details ?? '') : '';
  return [...details.matchAll(/(?:emailTemplate|htmlTemplate): line (\d+), column (\d+): ([^;]+)/g)].map(
    ([, line, column, message]) => ({ line: Number(line), column: Number(column), message: message ?? '' }),
  );
}
