import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NAME = 'candor.theme';
const listeners = new Set<() => void>();
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
let chosen = load();

/** A taste and no secret: it is kept for the next visit. */
function load(): Theme {
  try {
    const kept = localStorage.getItem(NAME);
    return THEMES.find((theme) => theme === kept) ?? 'system';
  } catch {
    // Storage is refused: the system's taste it is.
    return 'system';
  }
}

export function applyTheme(): void {
  const isDark = chosen === 'dark' || (chosen === 'system' && systemIsDark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // It holds for this visit.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

systemIsDark.addEventListener('change', applyTheme);

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => chosen,
  );
}
