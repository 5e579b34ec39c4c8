import type { DriveChange, DriveFile } from './drive-file.js';
import type { FolderScope } from './folder-scope.js';

/** What changes say of each file. */
export interface JudgedChanges {
  present: DriveFile[];
  goneIds: string[];
  malformedIds: string[];
}

/** A file outside of the chosen folders is gone unless a shortcut in them leads to it: it is listed as that file then. */
export async function judgeChanges(changes: readonly DriveChange[], scope: FolderScope): Promise<JudgedChanges> {
  const judged: JudgedChanges = { present: [], goneIds: [], malformedIds: [] };
  for (const { fileId, file, isRemoved } of latestOfEach(changes)) {
    if (fileId === null) continue;
    if (isRemoved) judged.goneIds.push(fileId);
    else if (file === null) judged.malformedIds.push(fileId);
    else if (scope.includes(file) || (await isLinked(file, scope))) judged.present.push(file);
    else judged.goneIds.push(fileId);
  }
  return judged;
}

async function isLinked(file: DriveFile, scope: FolderScope): Promise<boolean> {
  return file.trashed !== true && (await scope.readTargetIds()).has(file.id);
}

/** Changes come in order; only a file's last one counts. */
function latestOfEach(changes: readonly DriveChange[]): DriveChange[] {
  return [...new Map(changes.map((change) => [change.fileId, change])).values()];
}
