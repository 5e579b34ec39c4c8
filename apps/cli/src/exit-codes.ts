export const EXIT = {
  done: 0,
  /** Some items could not be imported; the others were. */
  someFailed: 1,
  /** Nothing was done, or only a part and the message says so: wrong arguments, no key, server out of reach. */
  refused: 2,
  /** A mistake of this program. */
  unexpected: 70,
  interrupted: 130,
} as const;
