import { looksForeign } from '@candor/reasoning/relevance';
import { FUSION } from './fusion-settings.js';

/**
 * How much the dense leg counts for a query. An English-only model's cosines tell little about a query in another
 * language, its words still do. Sure cases only: a mistake would cost an English query more than it could gain.
 *
 * @param languages that the model of the index knows (BCP 47); null = not known, taken as all.
 */
export function chooseDenseWeight(query: string, languages: readonly string[] | null): number {
  const isEnglishOnly = languages?.every((language) => language === 'en') ?? false;
  return isEnglishOnly && looksForeign(query) ? FUSION.foreignDenseWeight : FUSION.denseWeight;
}
