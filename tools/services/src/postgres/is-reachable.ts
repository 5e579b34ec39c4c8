import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Account } from '../supervise-process.js';

/** Whether `account` may pass through an existing folder and everything above it (by mode bits; ACLs aren't read). */
export async function isReachable(folder: string, account: Account): Promise<boolean> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const { mode, uid, gid } = await stat(current);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) {
      return false;
    }
    if (current === dirname(current)) {
      return true;
    }
  }
}
