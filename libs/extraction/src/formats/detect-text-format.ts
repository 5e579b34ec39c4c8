import type { FileFormat } from './detect-format.js';

const BY_ENDING: Readonly<Record<string, FileFormat>> = {
  txt: 'text',
  text: 'text',
  log: 'text',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  xml: 'xml',
  svg: 'xml',
  rss: 'xml',
  atom: 'xml',
  kml: 'xml',
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  json: 'json',
  geojson: 'json',
  ipynb: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  eml: 'eml',
  mbox: 'mbox',
  rtf: 'rtf',
};

const BY_MEDIA_TYPE: Readonly<Record<string, FileFormat>> = {
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'message/rfc822': 'eml',
  'application/mbox': 'mbox',
};

const MAIL_HEADER =
  /^(?:received|return-path|delivered-to|message-id|mime-version|from|to|date|subject|dkim-signature|x-[\w-]+):/i;

/** Of a file whose bytes are text: its ending decides, then its stated type, then what it begins with. */
export function detectTextFormat(file: { head: string; ending: string; mediaType: string }): FileFormat {
  const byEnding = BY_ENDING[file.ending];
  // A text ending says little: people save pages and mails as .txt, but then mean the text.
  if (byEnding) return byEnding;
  const mediaType = file.mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const byMediaType = BY_MEDIA_TYPE[mediaType];
  if (byMediaType) return byMediaType;
  // Source code, configuration, reStructuredText and the like: text as it is.
  if (file.ending !== '' && mediaType !== 'text/plain') return 'text';
  return sniff(file.head.trimStart());
}

function sniff(head: string): FileFormat {
  if (/^<!doctype html|^<html[\s>]/i.test(head)) return 'html';
  if (head.startsWith('<?xml')) return 'xml';
  if (/^From \S+ .*\d\d:\d\d/.test(head)) return 'mbox';
  const lines = head.split(/\r?\n/, 4);
  if (lines.length >= 3 && lines.slice(0, 3).filter((line) => MAIL_HEADER.test(line)).length >= 2) return 'eml';
  return 'text';
}
