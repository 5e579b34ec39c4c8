export const EXIT = {
  done: 0,
  /** Done in part: some items failed, or it broke off after some were accepted. Or a check found something wrong. */
  someFailed: 1,
  /** Nothing was done, or only a part and the message says so: wrong arguments, no key, server out of reach. */
  refused: 2,
  /** A mistake of this program. */
  unexpected: 70,
  interrupted: 130,
} as const;
