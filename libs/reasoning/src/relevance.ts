export { judgeRelevance, clearsFloor, type JudgedPassage, type RelevanceRule } from './relevance/judge-relevance.js';
export { looksForeign } from './relevance/looks-foreign.js';
export { matchWords, type PassageText, type WordMatch } from './relevance/match-words.js';
export { readQueryTerms, type QueryTerms } from './relevance/read-query-terms.js';
export { tokenizeWords } from './relevance/tokenize-words.js';
export { segmentInWindows } from './segment-in-windows.js';
