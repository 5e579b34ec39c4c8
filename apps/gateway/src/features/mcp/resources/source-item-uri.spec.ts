import { describe, expect, it } from '@jest/globals';
import { readSourceItemUri, sourceItemUri } from './source-item-uri.js';

describe('the URI of a source item', () => {
  it('is read as it is written', () => {
    expect(readSourceItemUri(sourceItemUri('a-1'))).toEqual({ id: 'a-1', isText: false });
    expect(readSourceItemUri(`${sourceItemUri('a-1')}/text`)).toEqual({ id: 'a-1', isText: true });
  });

  it.each(['file:///etc/passwd', 'candor://source-items/', 'candor://source-items/a/b', 'candor://prompts/a', 'x'])(
    'is not %s',
    (uri) => {
      expect(readSourceItemUri(uri)).toBeNull();
    },
  );
});
