import { looksForeign } from '@candor/reasoning/relevance';
import { FUSION } from './fusion-settings.js';
import type { PagePlan } from './select-page.js';

/**
 * An English-only model's cosines tell little about a query in another language, its words still do: they count more, and
 * no passage is left out for its cosine (on XQuAD de the floor would drop 7 % of the passages that answer). Sure cases
 * only, since a mistake would cost an English query more than it could gain.
 *
 * @param languages that the model of the index knows (BCP 47); null = not known, taken as all.
 */
export function adaptToLanguage(plan: PagePlan, query: string, languages: readonly string[] | null): PagePlan {
  const isEnglishOnly = languages?.every((language) => language === 'en') ?? false;
  if (!isEnglishOnly || !looksForeign(query)) return plan;
  const open = plan.keepsFloor === true ? {} : { floor: null, tailShare: null };
  return { ...plan, denseWeight: FUSION.foreignDenseWeight, ...open };
}
