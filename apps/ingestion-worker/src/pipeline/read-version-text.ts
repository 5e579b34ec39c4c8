import { findLinks, type ExtractedText, type ItemVersionEntity } from '@candor/persistence';
import { extractText } from '../features/extract-item/extract-text.js';

export interface ReadVersion {
  version: ItemVersionEntity;
  /** What its completion has to store; undefined when its text is stored already. */
  extraction: ExtractedText | undefined;
}

/**
 * A version with its text: what was pushed as text is read here, on its way to the index, and stored with the commit that makes
 * it live. Of files the text is there, from a stage of their own.
 *
 * @throws AppError `EXTRACT.*`, permanent.
 */
export function readVersionText(version: ItemVersionEntity): ReadVersion {
  const { title, body, mimeType } = version;
  if (version.text !== null || body === null) return { version, extraction: undefined };
  const { text, blocks } = extractText({ title, body, mimeType });
  return { version: Object.assign(version, { text, blocks }), extraction: { text, blocks, links: findLinks(text) } };
}
