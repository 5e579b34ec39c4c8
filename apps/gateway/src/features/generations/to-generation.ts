import type { Generation } from '@candor/contracts';
import { corpusFingerprintOf, type GenerationRecipe, type GenerationView } from '@candor/persistence';

export interface ConfiguredRecipe {
  fingerprint: string;
  recipe: GenerationRecipe;
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** The generation as its tenant's administrators see it. */
export function toGeneration(generation: GenerationView, configured: ConfiguredRecipe | null, now: Date): Generation {
  const { recipe, report, reconciledAt, itemsDone, itemsTotal, errorType } = generation;
  // Until the build has opened its model there is neither a name nor a recipe.
  const isPrepared = generation.pipelineFingerprint !== '';
  return {
    id: generation.id,
    name: isPrepared ? generation.name : null,
    state: generation.status,
    embedding: recipe ? embeddingOf(recipe) : null,
    pipelineFingerprint: isPrepared ? generation.pipelineFingerprint : null,
    configuredFingerprint: configured?.fingerprint ?? null,
    drift: configured && recipe ? findDrift(recipe, configured.recipe) : [],
    corpusFingerprint: corpusFingerprintOf(generation),
    progress: { itemsDone, itemsTotal, etaSeconds: estimateSeconds(generation, now) },
    reconciliation: reconciledAt
      ? { at: reconciledAt.toISOString(), ...(report ?? { missing: 0, outdated: 0, dangling: 0 }) }
      : null,
    createdAt: generation.createdAt.toISOString(),
    builtAt: iso(generation.builtAt),
    promotedAt: iso(generation.promotedAt),
    retiredAt: iso(generation.retiredAt),
    error: errorType ? { type: errorType, message: generation.errorMessage ?? '' } : null,
  };
}

function embeddingOf({ embedding }: GenerationRecipe): Generation['embedding'] {
  const { provider, model, revision, dimensions, maxTokens } = embedding;
  return { provider, model, revision, dimensions, maxTokens };
}

function findDrift(recipe: GenerationRecipe, configured: GenerationRecipe): Generation['drift'] {
  const isSameModel = JSON.stringify(embeddingOf(recipe)) === JSON.stringify(embeddingOf(configured));
  const drift: Generation['drift'] = [];
  if (recipe.extractorVersion !== configured.extractorVersion) drift.push('extractor');
  if (recipe.chunkerVersion !== configured.chunkerVersion) drift.push('chunker');
  if (!isSameModel) drift.push('embedding');
  if (recipe.indexMappingVersion !== configured.indexMappingVersion) drift.push('mapping');
  return drift;
}

/** Null while nothing is being built, or before its rate is known. */
function estimateSeconds(generation: GenerationView, now: Date): number | null {
  const { work, workStartedAt, workItems, itemsTotal, itemsDone } = generation;
  if (work !== 'build' || !workStartedAt || workItems === 0) return null;
  const perItem = (now.getTime() - workStartedAt.getTime()) / workItems;
  return Math.max(0, Math.ceil(((itemsTotal - itemsDone) * perItem) / 1_000));
}
