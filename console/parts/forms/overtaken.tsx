import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { EverpostError } from '../../../client/index.ts';
import { moment } from '../data/format.ts';
import { confirm } from '../over/confirm.tsx';
import { Notice } from '../page/notice.tsx';
import { Button } from './button.tsx';
import type { Form } from './form.ts';
import type { useKeptDraft } from './leaving.ts';

/** How a value is read by people: its name, and its text where that is not the value itself. */
export type Parts<V> = { readonly [K in keyof V]-?: string | { label: string; text: (value: V[K]) => string } };

export type Conflict<T> = ReturnType<typeof useConflict<T>>;

/**
 * Saves from the state that the form began from. When another save came in between, `newest` has what it saved until the person
 * decides; the form keeps what is typed. A kept text that began from an older state is such a case from the beginning.
 */
export function useConflict<T>(
  { restored, overtaken }: Pick<ReturnType<typeof useKeptDraft>, 'restored' | 'overtaken'>,
  loaded: T,
  read: () => PromiseLike<T>,
) {
  const newest = useSignal<T | null>(restored.peek()?.isOlder ? loaded : null);
  return {
    newest,
    /** The state that the next save replaces. */
    base: newest.value ?? loaded,
    async save<R>(call: () => PromiseLike<R>): Promise<R> {
      try {
        const saved = await call();
        newest.value = null;
        return saved;
      } catch (error) {
        if (isConflict(error)) {
          newest.value = await read();
          overtaken();
        }
        throw error;
      }
    },
  };
}

/** Another save came in between. */
export function isConflict(error: unknown): boolean {
  return (
    error instanceof EverpostError &&
    error.status === 409 &&
    /^(updatedAt|newestVersion|version|draftRevision): /.test(error.details ?? '')
  );
}

/** Two versions next to each other, the one saved elsewhere and the one that is typed, with the two ways out. */
export function BothTexts<T, V extends object>({
  conflict: { newest },
  draft,
  form,
  valuesOf,
  parts,
  onKeep,
  onTake,
}: {
  conflict: Conflict<T>;
  draft: ReturnType<typeof useKeptDraft>;
  form: Form<V>;
  valuesOf: (saved: T) => V;
  parts: Parts<V>;
  /** Saves what is typed in place of the other. */
  onKeep: () => unknown;
  /** After the form has the other text. */
  onTake: (saved: NonNullable<T>) => void;
}) {
  const box = useRef<HTMLElement>(null);
  const saved = newest.value;
  // The button that was pressed may be far from it.
  useLayoutEffect(() => {
    if (saved) box.current?.scrollIntoView({ block: 'nearest' });
  }, [saved]);
  if (!saved) return null;
  const theirs = valuesOf(saved);
  const rows = differences(theirs, form.values.value, parts);
  const { value: restored } = draft.restored;
  const take = () => {
    form.reset(theirs);
    newest.value = null;
    onTake(saved);
  };
  const askAndTake = () =>
    confirm({
      title: 'Take the version that was saved elsewhere',
      text: `What you typed is gone then: ${rows.map(({ label }) => label).join(', ')}.`,
      action: 'Discard what I typed',
      isDangerous: true,
      run: take,
    });
  return (
    <section ref={box} class="stack" aria-label="Two versions">
      <Notice
        kind={rows.length > 0 ? 'bad' : 'plain'}
        title={
          restored
            ? `What you typed ${moment(restored.at)} is here again, and another version was saved since`
            : 'Another version was saved elsewhere while you typed'
        }
        action={
          rows.length === 0 && (
            <Button isSmall onClick={take}>
              Go on with it
            </Button>
          )
        }
      >
        {rows.length > 0 ? 'Nothing is lost. Look where they differ, and choose one.' : 'It says what you typed.'}
      </Notice>
      {rows.length > 0 && (
        <>
          <dl class="both-texts">
            {rows.map(({ name, label, saved: other, typed }) => (
              <div key={name}>
                <dt>{label}</dt>
                <dd>
                  <span class="dim small">Saved elsewhere</span>
                  <Text text={other} />
                </dd>
                <dd>
                  <span class="dim small">Yours</span>
                  <Text text={typed} />
                </dd>
              </div>
            ))}
          </dl>
          <div class="row wrap">
            <Button onClick={askAndTake}>Take theirs…</Button>
            <Button kind="first" isBusy={form.isBusy.value} onClick={onKeep}>
              Keep mine
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function Text({ text }: { text: string }) {
  return text === '' ? <em class="dim">empty</em> : <pre tabIndex={0}>{text}</pre>;
}

/** The values whose texts differ. */
function differences<V extends object>(saved: V, typed: V, parts: Parts<V>) {
  return (Object.keys(typed) as Array<keyof V & string>).flatMap((name) => {
    const part = parts[name];
    const [one, other] = [saved, typed].map((values) => textOf(values[name], part));
    const label = typeof part === 'object' ? part.label : (part ?? name);
    return one === other ? [] : [{ name, label, saved: one ?? '', typed: other ?? '' }];
  });
}

function textOf<K>(value: K, part: string | { text: (value: K) => string } | undefined): string {
  if (typeof part === 'object') return part.text(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
