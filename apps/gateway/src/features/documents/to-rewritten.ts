import type { UpdateDocumentBody } from '@candor/contracts';
import type { DocumentHead, NewDocument, SentVersion, UnchangedDocument } from '@candor/persistence';

/** A document's head as its caller would state it again: what isn't said anew must not be lost. */
function restate(head: DocumentHead): Omit<UnchangedDocument, 'unchanged' | 'title'> {
  const { connectorId, authorName, accessPolicy, metadata } = head;
  return {
    provider: head.provider,
    sourceKind: head.sourceKind,
    externalId: head.externalId,
    url: head.url,
    authorName,
    sourceCreatedAt: head.sourceCreatedAt?.toISOString() ?? null,
    sourceUpdatedAt: head.sourceUpdatedAt?.toISOString() ?? null,
    validFrom: head.validFrom?.toISOString() ?? null,
    validUntil: head.validUntil?.toISOString() ?? null,
    supersedes: head.supersedes,
    tags: head.tags,
    accessPolicy,
    metadata: metadata as UnchangedDocument['metadata'],
    ...(connectorId === null ? {} : { connectorId }),
  };
}

/** The document with the change, from its newest version as it was sent; null when that is gone. */
export function toChanged(
  head: DocumentHead,
  newest: SentVersion,
  { title, content, mimeType, changeLog: _noted, ...fields }: UpdateDocumentBody,
): NewDocument | UnchangedDocument | null {
  const restated = { ...restate(head), ...withoutAbsent(fields), title: title ?? head.title };
  if (content !== undefined)
    return { ...asText(restated), body: content, mimeType: mimeType ?? textTypeAfter(newest.mimeType) };
  // Failed ones are tried again with what is changed.
  if (title === undefined && newest.state !== 'failed')
    // Nobody has looked at the content again, so it is as old as before.
    return { ...restated, syncedAt: head.syncedAt?.toISOString() ?? null, unchanged: true };
  return sentAgain(restated, newest, title === undefined);
}

/** The document as that version was sent; null when its content is gone. */
export function toRestored(head: DocumentHead, version: SentVersion): NewDocument | null {
  const { file } = version;
  // A file's default title is its name, whatever title was found in it.
  const title = file?.titleIsDefault === true ? file.name : version.title;
  return sentAgain({ ...restate(head), title }, version, true);
}

type Restated = Omit<UnchangedDocument, 'unchanged'>;

function sentAgain(restated: Restated, version: SentVersion, keepsTitle: boolean): NewDocument | null {
  const { file, body, mimeType } = version;
  if (file) {
    const titleIsDefault = keepsTitle && file.titleIsDefault;
    const title = titleIsDefault ? file.name : restated.title;
    return { ...restated, title, sourceKind: 'file', file: { ...file, titleIsDefault, ofVersion: version.version } };
  }
  return body === null ? null : { ...asText(restated), body, mimeType };
}

function asText(restated: Restated): Restated {
  return restated.sourceKind === 'file' ? { ...restated, sourceKind: 'document' } : restated;
}

/** Who edits reads plain text or Markdown, never the HTML that it was once read from. */
function textTypeAfter(mimeType: SentVersion['mimeType']): 'text/plain' | 'text/markdown' {
  return mimeType === 'text/markdown' ? 'text/markdown' : 'text/plain';
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutAbsent<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
