import { describe, expect, it } from '@jest/globals';
import type { DocumentHead, SentVersion } from '@candor/persistence';
import { toChanged, toRestored } from './to-rewritten.js';

const HEAD: DocumentHead = {
  id: '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55',
  provider: 'upload',
  connectorId: null,
  externalId: 'e-1',
  sourceKind: 'document',
  title: 'Plan',
  url: 'https://x.org/plan',
  authorName: 'Ada',
  sourceCreatedAt: new Date('2026-01-01T00:00:00Z'),
  sourceUpdatedAt: null,
  syncedAt: new Date('2026-01-02T00:00:00Z'),
  validFrom: null,
  validUntil: new Date('2027-01-01T00:00:00Z'),
  supersedes: ['e-0'],
  tags: ['a'],
  accessPolicy: { provider: 'upload', mode: 'acl', principals: ['user:a@x.org'] },
  metadata: { team: 'blue' },
  latestVersion: 3,
};
const KEPT = {
  provider: 'upload',
  externalId: 'e-1',
  url: 'https://x.org/plan',
  authorName: 'Ada',
  sourceCreatedAt: '2026-01-01T00:00:00.000Z',
  sourceUpdatedAt: null,
  validFrom: null,
  validUntil: '2027-01-01T00:00:00.000Z',
  supersedes: ['e-0'],
  tags: ['a'],
  accessPolicy: HEAD.accessPolicy,
  metadata: { team: 'blue' },
};
const TEXT: SentVersion = {
  version: 3,
  state: 'indexed',
  title: 'Plan',
  mimeType: 'text/markdown',
  body: '# Plan',
  file: null,
};
const FILE: SentVersion = {
  ...TEXT,
  title: 'Found in the file',
  body: 'what was read',
  file: { name: 'plan.pdf', mediaType: 'application/pdf', sha256: 'ab', titleIsDefault: true },
};
const FILE_HEAD: DocumentHead = { ...HEAD, sourceKind: 'file', title: 'Found in the file' };

describe('a changed document', () => {
  it('keeps all that was not changed, who may see it first of all', () => {
    expect(toChanged(HEAD, TEXT, { content: 'New.' })).toEqual({
      ...KEPT,
      sourceKind: 'document',
      title: 'Plan',
      body: 'New.',
      mimeType: 'text/markdown',
    });
  });

  it('keeps its content where only what stands beside it is changed', () => {
    expect(toChanged(HEAD, TEXT, { tags: [], url: null, changeLog: 'x' })).toEqual({
      ...KEPT,
      sourceKind: 'document',
      title: 'Plan',
      tags: [],
      url: null,
      syncedAt: '2026-01-02T00:00:00.000Z',
      unchanged: true,
    });
  });

  it('sends its text or its file again under another title', () => {
    expect(toChanged(HEAD, TEXT, { title: 'Other' })).toMatchObject({
      title: 'Other',
      body: '# Plan',
      mimeType: 'text/markdown',
    });
    expect(toChanged(FILE_HEAD, FILE, { title: 'Other' })).toMatchObject({
      title: 'Other',
      sourceKind: 'file',
      file: { name: 'plan.pdf', sha256: 'ab', ofVersion: 3, titleIsDefault: false },
    });
  });

  it('is tried again when its newest version failed', () => {
    expect(toChanged(FILE_HEAD, { ...FILE, state: 'failed' }, { tags: ['b'] })).toMatchObject({
      title: 'plan.pdf',
      tags: ['b'],
      file: { ofVersion: 3, titleIsDefault: true },
    });
  });

  it('is no file any more with text instead', () => {
    const changed = toChanged(FILE_HEAD, { ...FILE, mimeType: 'text/html' }, { content: 'Edited.' });
    expect(changed).toMatchObject({
      sourceKind: 'document',
      title: 'Found in the file',
      body: 'Edited.',
      mimeType: 'text/plain',
    });
    expect(changed).not.toHaveProperty('file');
  });

  it('takes the type that it is told', () => {
    expect(toChanged(HEAD, TEXT, { content: '<p>', mimeType: 'text/html' })).toMatchObject({ mimeType: 'text/html' });
  });

  it('can’t be sent again when its content is gone', () => {
    expect(toChanged(HEAD, { ...TEXT, body: null }, { title: 'Other' })).toBeNull();
  });
});

describe('a restored document', () => {
  it('has title and content of that version, and tags and access of today', () => {
    expect(toRestored(HEAD, { ...TEXT, version: 1, title: 'First', body: 'Old.', mimeType: 'text/html' })).toEqual({
      ...KEPT,
      sourceKind: 'document',
      title: 'First',
      body: 'Old.',
      mimeType: 'text/html',
    });
  });

  it('is the file again, under the title that it had', () => {
    expect(toRestored(HEAD, { ...FILE, version: 1 })).toMatchObject({
      sourceKind: 'file',
      title: 'plan.pdf',
      file: { ofVersion: 1, titleIsDefault: true },
    });
    const named: SentVersion = { ...FILE, title: 'Given', file: { ...FILE.file!, titleIsDefault: false } };
    expect(toRestored(HEAD, named)).toMatchObject({ title: 'Given', file: { titleIsDefault: false } });
  });

  it('is text again where it is a file now', () => {
    expect(toRestored(FILE_HEAD, { ...TEXT, version: 1 })).toMatchObject({ sourceKind: 'document', body: '# Plan' });
  });
});
