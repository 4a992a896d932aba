import type { Path } from '../../paths.ts';
import { place, to } from '../../router.ts';

const shelves: ReadonlyArray<{ label: string; path: Path }> = [
  { label: 'Templates', path: '/templates' },
  { label: 'Layouts', path: '/templates/layouts' },
  { label: 'Snippets', path: '/templates/snippets' },
  { label: 'Brand', path: '/templates/brand' },
];

/** The things that mails are made of. */
export function Shelves() {
  const { path: current } = place.value;
  return (
    <nav class="tabs" aria-label="Kinds of templates">
      {shelves.map(({ label, path }) => (
        <a key={path} href={to(path)} aria-current={path === current ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
