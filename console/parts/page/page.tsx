import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import type { Path } from '../../paths.ts';
import { to } from '../../router.ts';

/** The head of a page with its title, state and actions, and the work below. Every page is one. */
export function Page({
  title,
  crumb,
  state,
  note,
  actions,
  isFlush,
  children,
}: {
  title: string;
  /** The list that this belongs to. */
  crumb?: { label: string; path: Path };
  /** A `Badge`. */
  state?: ComponentChildren;
  /** A few quiet words before the actions: 'Saved 14:07:52'. */
  note?: ComponentChildren;
  /** Buttons, the primary one last. */
  actions?: ComponentChildren;
  /** The work fills the page to its edges: a listing. */
  isFlush?: boolean;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Everpost`;
  }, [title]);
  return (
    <>
      <header class="head">
        <h1 class="cut">
          {crumb && (
            <>
              <a class="crumb" href={to(crumb.path)}>
                {crumb.label}
              </a>{' '}
              <span class="crumb" aria-hidden="true">
                /
              </span>{' '}
            </>
          )}
          {title}
        </h1>
        {state}
        <span class="grow" />
        {note && <span class="dim small">{note}</span>}
        {actions}
      </header>
      {isFlush ? (
        children
      ) : (
        // Another element than that of a listing: a browser would see the one move to the place of the other.
        <div key="body" class="body">
          {children}
        </div>
      )}
    </>
  );
}

/** A part of a page under a heading. `span` of twelve columns, inside `Columns`. */
export function Section({
  title,
  note,
  aside,
  span,
  hasRule,
  id,
  children,
}: {
  title: string;
  /** Quiet words next to the title. */
  note?: ComponentChildren;
  /** At the right end: a link, a legend, a small button. */
  aside?: ComponentChildren;
  span?: 3 | 4 | 5 | 6 | 7 | 8;
  hasRule?: boolean;
  id?: string;
  children: ComponentChildren;
}) {
  const headingId = useId();
  return (
    <section
      id={id}
      class={['sec', span && `c${span}`, hasRule && 'rule'].filter(Boolean).join(' ')}
      aria-labelledby={headingId}
    >
      <header>
        <h2 id={headingId}>{title}</h2>
        {note && <span class="dim small beside">{note}</span>}
        {aside && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

export function Columns({ hasRule, children }: { hasRule?: boolean; children: ComponentChildren }) {
  return <div class={hasRule ? 'cols rule' : 'cols'}>{children}</div>;
}

/** Search box, filters and buttons above a listing. */
export function Tools({ children }: { children: ComponentChildren }) {
  return <div class="tools">{children}</div>;
}
