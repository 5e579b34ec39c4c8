import type { Prompt, PromptSummary } from '@candor/contracts';
import type { PromptRow, PromptSummaryRow } from '@candor/persistence';
import { listVariables } from './list-variables.js';

export function toPromptSummary(row: PromptSummaryRow): PromptSummary {
  const { id, title, description, currentVersion, tags } = row;
  return { id, title, description, isPublic: false, currentVersion, tags };
}

export function toPrompt(row: PromptRow): Prompt {
  return {
    ...toPromptSummary(row),
    content: row.content,
    engine: row.engine,
    parameters: row.parameters as Prompt['parameters'],
    variables: listVariables(row.variables, row.content),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
