import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { apiFoundCount, loadScript } from '../../api.ts';
import { isUnreachable } from '../page/query.ts';
import type { Fault, Opened } from './code-mirror.ts';
import { snippetNames } from './snippets.ts';

/** HTML with colours, folding and search. CodeMirror is loaded by the first editor that is opened; until then a plain field. */
export function CodeEditor({
  label,
  value,
  faults = [],
  isReadOnly = false,
  onChange,
  onReady,
}: {
  label: string;
  value: string;
  /** Where the interface found faults. */
  faults?: readonly Fault[];
  isReadOnly?: boolean;
  onChange: (text: string) => void;
  /** Functions that insert a text at the cursor, and go to a place. */
  onReady?: (insert: Opened['insert'], goTo: Opened['goTo']) => void;
}) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Opened | null>(null);
  const isOpen = useSignal(false);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  /** Texts that were typed and have not come back as `value`. However late one comes, the editor has a newer text. */
  const typed = useRef<string[]>([]);
  const known = useRef(value);

  useEffect(() => {
    let isGone = false;
    const open = ({ openEditor }: typeof import('./code-mirror.ts')) => {
      if (isGone || editor.current || !place.current) return;
      const opened = openEditor(place.current, {
        label,
        text: latest.current.value,
        cursor: cursorOf(plain.current),
        isReadOnly,
        snippets: () => snippetNames('code'),
        onChange: (text) => {
          typed.current.push(text);
          latest.current.onChange(text);
        },
      });
      editor.current = opened;
      isOpen.value = true;
      onReady?.(opened.insert, opened.goTo);
    };
    // Without a server the plain field stays, until it is found again.
    if (!editor.current) loadScript(() => import('./code-mirror.ts')).then(open, noteUnlessLost);
    return () => {
      isGone = true;
    };
  }, [apiFoundCount.value]);
  useEffect(
    () => () => {
      editor.current?.close();
      editor.current = null;
    },
    [],
  );
  useLayoutEffect(() => {
    const at = typed.current.lastIndexOf(value);
    if (at >= 0) typed.current.splice(0, at + 1);
    else if (value !== known.current) editor.current?.setText(value);
    known.current = value;
  });
  useEffect(() => editor.current?.setFaults(faults), [faults, isOpen.value]);

  return (
    <div class="code-editor">
      <div ref={place} />
      {!isOpen.value && (
        <>
          <label class="sr" for={id}>
            {label}
          </label>
          <textarea
            ref={plain}
            id={id}
            class="in mono"
            rows={20}
            value={value}
            readOnly={isReadOnly}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </>
      )}
    </div>
  );
}

function noteUnlessLost(error: unknown): void {
  if (!isUnreachable(error)) console.error(error);
}

/** A person who is typing already continues in the editor. */
function cursorOf(field: HTMLTextAreaElement | null) {
  if (!field || document.activeElement !== field) return null;
  return { anchor: field.selectionStart, head: field.selectionEnd };
}
