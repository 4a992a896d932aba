import { effect, signal, untracked, useSignal } from '@preact/signals';
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { apiFoundCount, loadScript, sessionEnded } from '../api.ts';
import { connectLive } from '../live.ts';
import { Button } from '../parts/forms/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Confirmations } from '../parts/over/confirm.tsx';
import { Toasts } from '../parts/over/toast.tsx';
import { LoadFailure } from '../parts/page/loaded.tsx';
import { Empty, Notice, SkeletonLines } from '../parts/page/notice.tsx';
import { Page } from '../parts/page/page.tsx';
import { isUnreachable } from '../parts/page/query.ts';
import { keepReturn, takeReturn } from '../return.ts';
import { isAddress, moves, navigate, place, readPlace, to } from '../router.ts';
import { findRoute, type Route } from '../routes.ts';
import { current, followProject, isForeignProject, loadSession, session, sessionFailure } from '../session.ts';
import { Nav } from './nav.tsx';
import { entries } from './navigation.ts';
import { Loading, Outages } from './outages.tsx';
import { openPalette, Palette, startPalette } from './palette.tsx';
import { SignIn } from './sign-in.tsx';
import { followSummary } from './summary.ts';

/** Once, before the first drawing. */
export function startFrame(): void {
  startPalette();
  effect(followProject);
  followSummary();
  effect(() => {
    const found = current.value;
    connectLive(found && !sessionEnded.value ? `${found.organization.id}-${found.project.id}` : null);
  });
  effect(() => {
    if (apiFoundCount.value > 0 && session.peek() === undefined) void loadSession();
  });
  // Signed in in another tab: this one continues with what was asked for, or typed.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return;
    if (sessionEnded.peek() || session.peek() === null) void loadSession();
  });
  effect(() => {
    const { path, query } = place.peek();
    const isBeginning = path === '/' && query.size === 0;
    if (session.value === null || sessionEnded.value) {
      if (!isBeginning && path !== '/sign-in') keepReturn(location.pathname + location.search + location.hash);
    } else if (session.value && isBeginning) {
      const { organizations } = session.value;
      const address = takeReturn();
      if (address)
        untracked(() =>
          returnTo(
            address,
            organizations.flatMap(({ projects }) => projects),
          ),
        );
    }
  });
  void loadSession();
  // Loaded while the session is asked for. A failure is shown when the page is to be drawn.
  findRoute(place.peek().path)
    ?.route.page()
    .catch(() => undefined);
}

/** Another person may have signed in than the one who came for the page. */
function returnTo(address: string, projects: ReadonlyArray<{ id: string }>): void {
  if (!isAddress(address)) return;
  const { projectId } = readPlace(new URL(address, location.origin));
  const isKnown = projectId === null || projects.some(({ id }) => id === projectId);
  if (isKnown) navigate(address, { replace: true });
}

export function App() {
  const { path } = place.value;
  if (path === '/sign-in' || session.value === null) return <SignIn />;
  if (session.value === undefined) return <Starting />;
  return (
    <>
      <button class="skip" type="button" onClick={skip}>
        Skip to the work
      </button>
      <div class="frame">
        <TopBar />
        <Nav />
        <Work />
      </div>
      <Palette />
      <Confirmations />
      <Toasts />
    </>
  );
}

function skip(): void {
  document.getElementById('work')?.focus();
}

/** Until the session is known: the frame without anything in it, so that nothing jumps. */
function Starting() {
  return (
    <div class="frame">
      <div class="nav" aria-hidden="true" />
      <main class="main" aria-busy={sessionFailure.value === null}>
        <div class="body">
          {sessionFailure.value === null ? (
            <SkeletonLines />
          ) : (
            <LoadFailure error={sessionFailure.value} onRetry={loadSession} />
          )}
        </div>
      </main>
    </div>
  );
}

/** Only under 900 px. */
function TopBar() {
  return (
    <header class="bar-top">
      <button class="btn plain icon" type="button" popovertarget="nav" aria-label="Open navigation">
        <Icon name="menu" />
      </button>
      <span class="strong grow cut">{current.value?.project.name ?? 'Everpost'}</span>
      <button class="btn plain icon" type="button" aria-label="Find or do" onClick={() => openPalette()}>
        <Icon name="search" />
      </button>
    </header>
  );
}

/** The page. After a move the focus is at its beginning, as it is after a load. */
function Work() {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // After the effect of the page that completes the address: that is no move.
  useEffect(
    () =>
      moves.subscribe(() => {
        if (!isFirst.current) {
          scrollTo(0, 0);
          // After a dialog that led here is gone: while it is open nothing else takes the focus.
          requestAnimationFrame(() => {
            // A quick person is in the new page already.
            if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
          });
        }
        isFirst.current = false;
      }),
    [],
  );
  return (
    <main class="main" id="work" ref={main} tabIndex={-1}>
      <Loading />
      <Outages />
      <CurrentPage />
    </main>
  );
}

function CurrentPage() {
  const { path } = place.value;
  const found = current.value;
  const firstEntry = entries[0];
  useEffect(() => {
    // Links of mails and of older pages name no project: the address is completed.
    if (found && place.peek().projectId === null)
      navigate(`/console/${found.project.id}${path === '/' ? '' : path}${location.search}${location.hash}`, {
        replace: true,
      });
  }, [found, path]);
  if (!found) return <NoProject />;
  if (isForeignProject.value) return <ForeignProject />;
  const route = findRoute(path) ?? (path === '/' && firstEntry ? findRoute(firstEntry.path) : null);
  if (!route) return <NotFound />;
  const key = `${found.project.id} ${route.route.path} ${Object.values(route.params).join(' ')}`;
  return (
    <Fence key={key}>
      <Lazy route={route.route} params={route.params} />
    </Fence>
  );
}

const loaded = new Map<Route, ComponentType<{ params: Record<string, string> }>>();
const failed = signal<Route | null>(null);

/** The file of a page is loaded once. */
function Lazy({ route, params }: { route: Route; params: Record<string, string> }) {
  const here = useSignal(loaded.get(route));
  useEffect(() => {
    if (loaded.has(route)) return;
    loadScript(route.page).then(
      (module) => {
        loaded.set(route, module.default);
        here.value = module.default;
      },
      (error: unknown) => {
        if (!isUnreachable(error)) console.error(error);
        failed.value = route;
      },
    );
  }, [route, apiFoundCount.value]);
  const Found = here.value;
  if (Found) return <Found params={params} />;
  if (failed.value === route) return <OldConsole />;
  return (
    <div class="body" aria-busy="true">
      <SkeletonLines />
    </div>
  );
}

/** The files of this build are gone, or cannot be reached. */
function OldConsole() {
  return (
    <Page title="This page could not be loaded">
      <Notice kind="warn" title="The console was updated, or the server cannot be reached" action={<ReloadButton />}>
        <p>Load it again to have the newest one. Nothing was changed.</p>
      </Notice>
    </Page>
  );
}

function ReloadButton() {
  return (
    <Button isSmall icon="refresh" onClick={() => location.reload()}>
      Load again
    </Button>
  );
}

/** A fault of a page takes only that page away. */
class Fence extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <Page title="This page broke">
        <Notice kind="bad" title="The console made a mistake" action={<ReloadButton />}>
          <p>Nothing was changed by it. If it comes back after loading again, report it with what you did before.</p>
        </Notice>
      </Page>
    );
  }
}

function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page" action={<Button href={to('/')}>Go to the first page</Button>}>
        The address may be mistyped, or of an older console. Find a page with Ctrl K.
      </Empty>
    </Page>
  );
}

function ForeignProject() {
  return (
    <Page title="Another project">
      <Empty
        title="You are not a member of this project, or it was deleted"
        action={<Button href="/console">Go to your projects</Button>}
      >
        An owner of its organization can add you under Members.
      </Empty>
    </Page>
  );
}

function NoProject() {
  return (
    <Page title="No project">
      <Empty title="Your organization has no project yet">
        Everything in Everpost belongs to a project. An owner makes one with <code>npm run admin -- project</code>, or
        with <code>POST /v1/account/projects</code>.
      </Empty>
    </Page>
  );
}
