/** Settles as `promise` does, or rejects with `onTimeout()` after `milliseconds`; a later rejection of `promise` is not left unhandled. */
export async function waitAtMost<T>(promise: Promise<T>, milliseconds: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onTimeout()), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** True if `promise` settled, either way, within `milliseconds`. */
export async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = new Error('late');
  try {
    await waitAtMost(promise, milliseconds, () => late);
    return true;
  } catch (error) {
    return error !== late;
  }
}
