import { Controller } from '@nestjs/common';
import {
  createPromptRoute,
  deletePromptRoute,
  getPromptRoute,
  listPromptsRoute,
  listPromptVersionsRoute,
  restorePromptRoute,
  updatePromptRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { PromptVersionsService } from './prompt-versions.service.js';
import { PromptsService } from './prompts.service.js';

@Controller()
export class PromptsController {
  constructor(
    private readonly prompts: PromptsService,
    private readonly versions: PromptVersionsService,
  ) {}

  @Contract(listPromptsRoute)
  list(@ContractInput() { query }: InputOf<typeof listPromptsRoute>): Promise<ResponseOf<typeof listPromptsRoute>> {
    return this.prompts.list(query);
  }

  @Contract(createPromptRoute)
  create(@ContractInput() { body }: InputOf<typeof createPromptRoute>): Promise<ResponseOf<typeof createPromptRoute>> {
    return this.prompts.create(body);
  }

  @Contract(getPromptRoute)
  read(@ContractInput() { params }: InputOf<typeof getPromptRoute>): Promise<ResponseOf<typeof getPromptRoute>> {
    return this.prompts.read(params.id);
  }

  @Contract(updatePromptRoute)
  update(
    @ContractInput() { params, body }: InputOf<typeof updatePromptRoute>,
  ): Promise<ResponseOf<typeof updatePromptRoute>> {
    return this.prompts.update(params.id, body);
  }

  @Contract(deletePromptRoute)
  delete(@ContractInput() { params }: InputOf<typeof deletePromptRoute>): Promise<null> {
    return this.prompts.delete(params.id);
  }

  @Contract(listPromptVersionsRoute)
  listVersions(
    @ContractInput() { params, query }: InputOf<typeof listPromptVersionsRoute>,
  ): Promise<ResponseOf<typeof listPromptVersionsRoute>> {
    return this.versions.list(params.id, query);
  }

  @Contract(restorePromptRoute)
  restore(
    @ContractInput() { params, body }: InputOf<typeof restorePromptRoute>,
  ): Promise<ResponseOf<typeof restorePromptRoute>> {
    return this.versions.restore(params.id, body.versionId);
  }
}
