/** Requests a minute and action of a key that names no limit. */
export const DEFAULT_RATE_LIMIT = 60;
