export const EXIT = {
  done: 0,
  /** Some items could not be imported; the others were. */
  someFailed: 1,
  /** Nothing was done: wrong arguments, no key, server out of reach. */
  refused: 2,
  interrupted: 130,
} as const;
