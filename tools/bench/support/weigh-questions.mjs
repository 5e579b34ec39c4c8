import { judgeRelevance, matchWords, readQueryTerms } from '@candor/reasoning/relevance';

/** Vectors are normalized. */
function cosineOf(left, right) {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += left[index] * right[index];
  return sum;
}

/**
 * Every passage of a corpus held against each question. Of passages that match alike only the nearest is kept: no rule
 * can tell the others apart from it.
 *
 * @param views `(question, chunk) => boolean`, each a part of the corpus.
 * @returns for each view one `{ terms, passages }` a question, as `judgeRelevance` takes them, nearest first.
 */
export async function weighQuestions(questions, chunks, embedder, views = [() => true]) {
  const weighed = views.map(() => []);
  for (const question of questions) {
    const vector = await embedder.embedQuery(question.text.trim());
    const terms = readQueryTerms(question.text);
    const kept = views.map(() => new Map());
    for (const chunk of chunks) {
      const match = matchWords(terms, { headings: [chunk.title, ...chunk.sectionPath], content: chunk.content });
      const cosine = cosineOf(vector, chunk.vector);
      const key = `${match.coverage} ${match.isComplete} ${match.hasIdentifier}`;
      for (const [index, isInView] of views.entries()) {
        const nearest = kept[index].get(key)?.cosine ?? -Infinity;
        if (cosine > nearest && isInView(question, chunk)) kept[index].set(key, { cosine, match });
      }
    }
    for (const [index, passages] of kept.entries()) {
      const nearestFirst = [...passages.values()].sort((left, right) => right.cosine - left.cosine);
      weighed[index].push({ terms, passages: nearestFirst });
    }
  }
  return weighed;
}

export const bestCosine = ({ passages }) => passages[0]?.cosine ?? -Infinity;

/** Share of the questions for which nothing is relevant. */
export function shareRefused(weighed, rule) {
  return weighed.filter(({ terms, passages }) => !judgeRelevance(passages, terms, rule)).length / weighed.length;
}

/** The strictest guard, in hundredths, that refuses no more than this share. */
export function guardAt(weighed, rule, share) {
  let guard = 0;
  while (shareRefused(weighed, { ...rule, evidenceGuard: (guard + 1) / 100 }) <= share) guard += 1;
  return guard / 100;
}

/**
 * Each group judged by the guard that was chosen on all the others, so that nothing is judged by what it was chosen on.
 *
 * @param groups of each question, in its order.
 * @param views each a part of the corpus, its questions in the same order; the guard is chosen on the first one.
 * @returns the guards, and for each view the share refused.
 */
export function refusedHeldOut(groups, views, rule, share) {
  const guards = new Map(
    [...new Set(groups)].map((group) => {
      const others = views[0].filter((_, index) => groups[index] !== group);
      return [group, guardAt(others, rule, share)];
    }),
  );
  const refused = views.map((view) => {
    const count = view.filter((weighed, index) => {
      const guarded = { ...rule, evidenceGuard: guards.get(groups[index]) };
      return shareRefused([weighed], guarded) === 1;
    }).length;
    return count / view.length;
  });
  return { guards: [...guards.values()].sort((left, right) => left - right), refused };
}

/** The largest threshold that at most this share of the values lies below. */
export const quantile = (values, share) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)];
export const shareBelow = (values, threshold) => values.filter((value) => value < threshold).length / values.length;
