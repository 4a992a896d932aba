import { computed, type ReadonlySignal, type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { EverpostError, type TemplatePreview } from '../../client/index.ts';
import type { Content } from '../../schemas/templates/block-types.ts';
import { type Frame, previewBlocks } from '../parts/mail/use-preview.ts';
import { usePreview } from '../parts/page/preview.ts';
import { type Refusal, refusalsIn } from './model/checks.ts';
import type { About } from './model/convert.ts';

/** Typing rests that long before the server is asked. */
const REST_MS = 500;

export interface Draft {
  content: Content;
  about: About;
}

export interface CompiledMail {
  mail: ReadonlySignal<TemplatePreview | null>;
  /** Its source, with {{variables}}. */
  html: ReadonlySignal<string | null>;
  /** Of the source. */
  bytes: ReadonlySignal<number | null>;
  refusals: ReadonlySignal<readonly Refusal[]>;
  error: ReadonlySignal<unknown>;
  isOld: ReadonlySignal<boolean>;
}

/** The draft as the server makes a mail of it, and where it refuses to. */
export function useCompiled(
  draft: Signal<Draft>,
  person: ReadonlySignal<string>,
  isMarketing: boolean,
  within: Frame | undefined,
): CompiledMail {
  const rested = useRested(draft);
  const frame = useSignal(within);
  useLayoutEffect(() => {
    frame.value = within;
  }, [within?.layoutId, within?.part]);
  const asked = useMemo(
    () =>
      computed(() => ({
        ...rested.value,
        email: wholeAddress(person.value),
        frame: frame.value,
        isEmpty: rested.value.content.blocks.length === 0,
      })),
    [rested, person, frame],
  );
  const toAsk = useMemo(() => computed(() => (asked.value.isEmpty ? null : asked.value)), [asked]);
  const { answer, error, isOld } = usePreview(toAsk, ({ content, about, email, frame: around }, abort) => {
    const { subject = '', previewText = '' } = about;
    const templateType = isMarketing ? 'marketing' : 'transactional';
    return previewBlocks(
      { content, frame: around, subject, previewText, templateType, ...(email && { email }) },
      abort,
    );
  });
  return useMemo(
    () => ({
      mail: computed(() => answer.value?.mail ?? null),
      html: computed(() => answer.value?.html ?? null),
      bytes: computed(() => answer.value && new TextEncoder().encode(answer.value.html).length),
      refusals: computed(() => refusalsOf(error.value)),
      error,
      isOld,
    }),
    [answer, error, isOld],
  );
}

/** While an address is typed, the mail is shown without a person. */
function wholeAddress(typed: string): string {
  return /^\S+@\S+\.\S+$/.test(typed) ? typed : '';
}

function useRested(draft: Signal<Draft>): Signal<Draft> {
  const rested = useMemo(() => signal(draft.peek()), [draft]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = draft.subscribe((now) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        rested.value = now;
      }, REST_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [draft, rested]);
  return rested;
}

function refusalsOf(error: unknown): readonly Refusal[] {
  return error instanceof EverpostError ? refusalsIn(error.details ?? '') : [];
}
