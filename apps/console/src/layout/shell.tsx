import { useEffect, useId, useRef, useState } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { SCREENS } from './screens.js';
import { ThemeChoice } from './theme-choice.js';

/** Around every screen: where one is, who one is, and the way to everywhere else. */
export function Shell() {
  const { pathname } = useLocation();
  // The menu belongs to the screen on which it was opened: the next one begins with it closed.
  const [openedAt, setOpenedAt] = useState<string | null>(null);
  const isOpen = openedAt === pathname;
  const menuId = useId();
  useScreenAnnouncement(pathname);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <div className="shell">
        <div className="sidebar" data-open={isOpen || undefined}>
          <div className="row">
            <NavLink className="brand" to="/">
              <img src="/console/favicon.svg" alt="" />
              Candor
            </NavLink>
            <Button
              className="menu-button"
              size="small"
              aria-expanded={isOpen}
              aria-controls={menuId}
              onPress={() => setOpenedAt(isOpen ? null : pathname)}
            >
              Menu
            </Button>
          </div>
          <nav className="nav" id={menuId} aria-label="Screens">
            <ul>
              {SCREENS.map((screen) => (
                <li key={screen.path}>
                  <ScreenLink {...screen} />
                </li>
              ))}
            </ul>
          </nav>
          <Who />
        </div>
        <main className="main" id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  );
}

function ScreenLink({ path, name, action }: (typeof SCREENS)[number]) {
  const { allows } = useSession();
  const isForbidden = action !== null && !allows(action);
  return (
    <NavLink to={path} end={path === '/'} data-forbidden={isForbidden || undefined}>
      {name}
      {isForbidden ? <span className="small">no access</span> : null}
    </NavLink>
  );
}

function Who() {
  const { caller, signOut } = useSession();
  return (
    <div className="sidebar-foot">
      <ThemeChoice />
      <div>
        <div className="quiet">Signed in as</div>
        <strong>{caller.name}</strong>
      </div>
      <Button size="small" onPress={() => signOut()}>
        Sign out
      </Button>
      <a href="/docs">API documentation</a>
    </div>
  );
}

/** Names the screen in the title, and moves the focus to it after a change, so that a screen reader speaks of it. */
function useScreenAnnouncement(pathname: string): void {
  const last = useRef(pathname);
  useEffect(() => {
    const screen = SCREENS.find(({ path }) => path !== '/' && pathname.startsWith(path)) ?? SCREENS[0];
    document.title = `${pathname.startsWith('/items') ? 'Source' : (screen?.name ?? '')} · Candor Console`;
    if (last.current === pathname) return;
    last.current = pathname;
    document.getElementById('main')?.focus();
    window.scrollTo(0, 0);
  }, [pathname]);
}
