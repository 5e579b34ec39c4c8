import { tokenizeWords } from '../relevance/tokenize-words.js';
import type { StatedValue } from './claim.js';

/** Attributes of which a thing has one value. Adjectives after other nouns ("the office is small") say nothing exclusive. */
const SINGLE_VALUED = new Set(
  `color colour name owner lead manager interface database language region provider vendor location venue title framework
  tool port host format protocol licence license currency timezone capital default choice decision font logo slogan
  deadline version branch endpoint model`.split(/\s+/),
);
const MOST_VALUE_WORDS = 4;

/** `the <subject> <attribute> is <value>`, or the attribute with a colon. */
export function readAttributes(clause: string): StatedValue[] {
  const match =
    /^(?<subject>[^:=]{3,80}?)(?:\s(?:is|was|will be|are)(?: now)?\s|:\s|\s=\s)(?<value>[^:]{1,60})$/iu.exec(
      clause.replace(/[.!]+$/, ''),
    );
  if (match === null) return [];
  const { subject = '', value = '' } = match.groups ?? {};
  const attribute = /(?<word>\p{L}+)$/u.exec(subject.trim())?.groups?.['word']?.toLowerCase() ?? '';
  const words = tokenizeWords(value);
  if (!SINGLE_VALUED.has(attribute) || words.length === 0 || words.length > MOST_VALUE_WORDS) return [];
  const start = match[0].length - value.length;
  return [
    {
      kind: 'conflicting_value',
      dimension: 'attribute',
      normalized: words.join(' '),
      value: value.trim(),
      start,
      end: start + value.length,
    },
  ];
}

/** `Signal Orange` and `Signal Orange (#ff5a00)` name one thing. */
export function attributesDiffer(left: string, right: string): boolean {
  const rightWords = new Set(right.split(' '));
  return !left.split(' ').some((word) => rightWords.has(word));
}
