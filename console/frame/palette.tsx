import { signal, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { session } from '../session.ts';
import {
  actChoices,
  type Choice,
  choose,
  fits,
  type Group,
  ownChoices,
  pageChoices,
  projectChoices,
} from './palette/choices.ts';
import { useSearch } from './palette/search.ts';

type Kind = 'all' | 'projects';

const open = signal<Kind | null>(null);

export function openPalette(kind: Kind = 'all'): void {
  open.value = kind;
}

/** Typed after Ctrl K, before the palette was drawn. */
const early = signal('');

/** Listens for Ctrl K from the first script on. While the session is asked for, the keys behind it wait for the palette. */
export function startPalette(): void {
  addEventListener('keydown', (event) => {
    if (session.peek() === null) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      early.value = '';
      open.value = open.peek() === null ? 'all' : null;
    } else if (open.peek() !== null && session.peek() === undefined) wait(event);
  });
}

function wait(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') open.value = null;
  else if (event.key === 'Backspace') early.value = early.peek().slice(0, -1);
  else if (event.key.length === 1) early.value += event.key;
  else return;
  event.preventDefault();
}

/** Ctrl K: goes to a page, a project or a thing by its name, and does what this person may do. Once, in the frame. */
export function Palette() {
  return open.value && <PaletteDialog kind={open.value} />;
}

function PaletteDialog({ kind }: { kind: Kind }) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const text = useSignal(early.peek());
  const current = useSignal<string | null>(null);
  const asked = text.value.trim();
  const search = useSearch(kind === 'all', asked);
  const fitting = ({ label, choices }: Group) => ({ label, choices: choices.filter((choice) => fits(asked, choice)) });
  const found = search.groups.value;
  // Until the next answer is there, those of the last one stay whose name still fits.
  const groups = [
    ...knownGroups(kind, asked).map(fitting),
    ...(search.isOpen.value ? found.map(fitting) : found),
  ].filter(({ choices }) => choices.length > 0);
  const all = groups.flatMap(({ choices }) => choices);
  // By its key: choices come and go while the server answers.
  const at = Math.max(
    0,
    all.findIndex(({ key }) => key === current.value),
  );
  // At once, so that the next key is typed into it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    early.value = '';
    dialog?.showModal();
    // The focus returns to where it was.
    return () => dialog?.close();
  }, []);

  function press(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      // The browser says later that it closed a dialog: a Ctrl K in between would find this one still open.
      event.preventDefault();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && all.length > 0) {
      event.preventDefault();
      const next = (at + step + all.length) % all.length;
      current.value = all[next]?.key ?? null;
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      take(all[at]);
    }
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same.
    <dialog
      ref={ref}
      class="dialog palette"
      aria-label={kind === 'projects' ? 'Change project' : 'Find or do'}
      onClose={() => ref.current && close()}
      onClick={(event) => event.target === ref.current && close()}
    >
      <div class="with-icon">
        <Icon name="search" />
        <input
          class="in has"
          type="text"
          role="combobox"
          aria-label={kind === 'projects' ? 'Find a project' : 'Find a page, a name or an address, or something to do'}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={all.length > 0 ? `${id}-${at}` : undefined}
          placeholder={kind === 'projects' ? 'Find a project' : 'Page, name, address or what to do'}
          autocomplete="off"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            current.value = null;
          }}
          onKeyDown={press}
        />
      </div>
      <div id={`${id}-list`} class="found" role="listbox" aria-label="Found">
        {groups.map(({ label, choices }) => (
          <div key={label} role="group" aria-label={label}>
            <p class="dim small" aria-hidden="true">
              {label}
            </p>
            {choices.map((choice) => {
              const index = all.indexOf(choice);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field that owns the list.
                <div
                  key={choice.key}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at}
                  onClick={() => take(choice)}
                >
                  <Icon name={choice.icon} />
                  <span class="grow cut">{choice.label}</span>
                  {choice.note && <span class="dim small cut">{choice.note}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <div role="status">
        {all.length === 0 && (
          <p class="none dim">
            {search.isOpen.value ? 'Searching' : `Nothing fits “${asked}”. Type a part of a name or of an address.`}
          </p>
        )}
        {search.failed.value.length > 0 && (
          <p class="none t-bad">Could not be searched: {search.failed.value.join(', ')}.</p>
        )}
      </div>
    </dialog>
  );
}

/** Acts of the open page come first. With nothing typed there is much to do, and each page is in the navigation. Else pages are meant more often. */
function knownGroups(kind: Kind, asked: string): Group[] {
  const projects: Group = { label: 'Projects', choices: projectChoices() };
  if (kind === 'projects') return [projects];
  const pages: Group = { label: 'Go to', choices: pageChoices() };
  const acts: Group = { label: 'Do', choices: actChoices() };
  const own: Group = { label: 'On this page', choices: ownChoices() };
  if (asked === '') return [own, acts, pages];
  const byLabel = ({ choices }: Group) => choices.some(({ label }) => fits(asked, { label }));
  const all = [own, pages, acts, ...(projects.choices.length > 1 ? [projects] : [])];
  return [...all.filter(byLabel), ...all.filter((group) => !byLabel(group))];
}

function close(): void {
  open.value = null;
}

function take(choice: Choice | undefined): void {
  if (!choice) return;
  close();
  void choose(choice);
}
