import { signal, useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { actChoices, type Choice, choose, fits, type Group, pageChoices, projectChoices } from './palette/choices.ts';
import { useSearch } from './palette/search.ts';

type Kind = 'all' | 'projects';

const open = signal<Kind | null>(null);

export function openPalette(kind: Kind = 'all'): void {
  open.value = kind;
}

/** Ctrl K: goes to a page, a project or a thing by its name, and does what this person may do. Once, in the frame. */
export function Palette() {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      open.value = open.peek() === null ? 'all' : null;
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return open.value && <PaletteDialog kind={open.value} />;
}

function PaletteDialog({ kind }: { kind: Kind }) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
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
  useLayoutEffect(() => ref.current?.showModal(), []);

  function press(event: KeyboardEvent): void {
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
      onClose={() => {
        open.value = null;
      }}
      onClick={(event) => event.target === ref.current && ref.current?.close()}
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

/** With nothing typed there is much to do, and each page is in the navigation. Else pages are meant more often. */
function knownGroups(kind: Kind, asked: string): Group[] {
  const projects: Group = { label: 'Projects', choices: projectChoices() };
  if (kind === 'projects') return [projects];
  const pages: Group = { label: 'Go to', choices: pageChoices() };
  const acts: Group = { label: 'Do', choices: actChoices() };
  if (asked === '') return [acts, pages];
  const byLabel = ({ choices }: Group) => choices.some(({ label }) => fits(asked, { label }));
  const all = [pages, acts, ...(projects.choices.length > 1 ? [projects] : [])];
  return [...all.filter(byLabel), ...all.filter((group) => !byLabel(group))];
}

function take(choice: Choice | undefined): void {
  if (!choice) return;
  open.value = null;
  void choose(choice);
}
