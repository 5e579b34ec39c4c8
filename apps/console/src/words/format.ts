/** How values are said to people; all of it takes the present as a value, so that tests can hold it still. */

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const NUMBER = new Intl.NumberFormat('en-GB');

export function formatDate(iso: string | null): string {
  return iso === null ? 'unknown' : DATE.format(new Date(iso));
}

export function formatDateTime(iso: string | null): string {
  return iso === null ? 'never' : DATE_TIME.format(new Date(iso));
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** Rounded to the two largest units: `2 h 5 min`, `40 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const units: [string, number][] = [
    ['d', Math.floor(whole / 86_400)],
    ['h', Math.floor((whole % 86_400) / 3_600)],
    ['min', Math.floor((whole % 3_600) / 60)],
    ['s', whole % 60],
  ];
  const first = units.findIndex(([, amount]) => amount > 0);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .filter(([, amount]) => amount > 0)
    .map(([unit, amount]) => `${amount} ${unit}`)
    .join(' ');
}

/** `3 min ago`; a time that is yet to come is `in 3 min`. */
export function formatAgo(iso: string, now: number): string {
  const seconds = (now - Date.parse(iso)) / 1_000;
  if (Math.abs(seconds) < 10) return 'just now';
  // The larger unit is enough: it is a feeling for time, and the whole of it is beside it.
  const about = formatDuration(Math.abs(seconds)).split(' ').slice(0, 2).join(' ');
  return seconds > 0 ? `${about} ago` : `in ${about}`;
}

export function formatMilliseconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The beginning of an id, for places where the whole one stands beside it or in a link. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
