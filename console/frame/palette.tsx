import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { api } from '../api.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { navigate, to } from '../router.ts';
import { hasPage } from '../routes.ts';
import { session } from '../session.ts';
import { entries } from './navigation.ts';

type Kind = 'all' | 'projects';

const open = signal<Kind | null>(null);

export function openPalette(kind: Kind = 'all'): void {
  open.value = kind;
}

interface Found {
  key: string;
  label: string;
  under: string;
  icon: IconName;
  go: () => void;
}

const PAUSE_MS = 200;
const FOUND_MAX = 5;

/** Ctrl K: go to a page, a project, a contact or a campaign. Once, in the frame. */
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
  const at = useSignal(0);
  const people = useSignal<Found[]>([]);
  const found = [...matching(kind, text.value), ...people.value];
  // At once, so that the next key is typed into it.
  useLayoutEffect(() => ref.current?.showModal(), []);
  useSearch(kind, text, people);

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) {
      event.preventDefault();
      at.value = (at.value + step + found.length) % found.length;
      document.getElementById(`${id}-${at.value}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at.value]);
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
          aria-label={kind === 'projects' ? 'Find a project' : 'Find a page, a contact or a campaign'}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${at.value}` : undefined}
          placeholder={kind === 'projects' ? 'Find a project' : 'Page, address or campaign'}
          autocomplete="off"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={press}
        />
      </div>
      <div id={`${id}-list`} class="found" role="listbox" aria-label="Found">
        {found.map(({ key, label, under, icon, go }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field that owns the list.
          <div
            key={key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at.value}
            onClick={() => choose({ go })}
          >
            <Icon name={icon} />
            <span class="grow cut">{label}</span>
            <span class="dim small">{under}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="none dim">Nothing has this name.</p>}
    </dialog>
  );
}

function choose(found: Pick<Found, 'go'> | undefined): void {
  if (!found) return;
  open.value = null;
  found.go();
}

function matching(kind: Kind, text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: string[]) => words.every((word) => texts.join(' ').toLowerCase().includes(word));
  const projects = (session.value?.organizations ?? []).flatMap(({ name: organizationName, projects: some }) =>
    some
      .filter(({ name }) => fits(name, organizationName))
      .map(({ id, name }) => ({
        key: id,
        label: name,
        under: organizationName,
        icon: 'mark' as const,
        go: () => navigate(`/console/${id}`),
      })),
  );
  if (kind === 'projects') return projects;
  const pages = entries
    .filter(({ label, words: more = '' }) => fits(label, more))
    .map(({ label, path, icon }) => ({ key: path, label, under: 'Page', icon, go: () => navigate(path) }));
  return projects.length > 1 && words.length > 0 ? [...pages, ...projects] : pages;
}

/** Contacts by a part of their address, campaigns by a part of their name, when the typing pauses. */
function useSearch(kind: Kind, text: Signal<string>, found: Signal<Found[]>): void {
  const asked = text.value.trim();
  useEffect(() => {
    if (kind !== 'all' || asked.length < 2) {
      found.value = [];
      return;
    }
    const gone = new AbortController();
    const timer = setTimeout(async () => {
      const { signal: given } = gone;
      const [contacts, campaigns] = await Promise.all([
        hasPage('/contacts') ? api.safe.contacts.list({ search: asked, limit: FOUND_MAX }, { signal: given }) : null,
        hasPage('/campaigns') ? api.safe.campaigns.list({ search: asked, limit: FOUND_MAX }, { signal: given }) : null,
      ]);
      if (given.aborted) return;
      found.value = [
        ...(campaigns?.data?.campaigns ?? []).map(({ id, name }) => ({
          ...{ key: id, label: name, under: 'Campaign', icon: 'campaign' as const },
          go: () => navigate(to(`/campaigns/${id}`)),
        })),
        ...(contacts?.data?.contacts ?? []).map(({ id, email }) => ({
          ...{ key: id, label: email, under: 'Contact', icon: 'contacts' as const },
          go: () => navigate(to('/contacts', { person: id })),
        })),
      ];
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [kind, asked]);
}
