import { Controller } from '@nestjs/common';
import {
  createGenerationRoute,
  generationRoute,
  listGenerationsRoute,
  promoteGenerationRoute,
  reconcileGenerationRoute,
  retireGenerationRoute,
  type Generation,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { GenerationsService } from './generations.service.js';
import { PromotionsService } from './promotions.service.js';

@Controller()
export class GenerationsController {
  constructor(
    private readonly generations: GenerationsService,
    private readonly promotions: PromotionsService,
  ) {}

  @Contract(listGenerationsRoute)
  list(
    @ContractInput() { query }: InputOf<typeof listGenerationsRoute>,
  ): Promise<ResponseOf<typeof listGenerationsRoute>> {
    return this.generations.list(query);
  }

  @Contract(generationRoute)
  read(@ContractInput() { params }: InputOf<typeof generationRoute>): Promise<{ data: Generation }> {
    return this.generations.read(params.id);
  }

  @Contract(createGenerationRoute)
  create(@ContractInput() { body }: InputOf<typeof createGenerationRoute>): Promise<{ data: Generation }> {
    return this.generations.create(body);
  }

  @Contract(promoteGenerationRoute)
  promote(@ContractInput() { params }: InputOf<typeof promoteGenerationRoute>): Promise<{ data: Generation }> {
    return this.promotions.promote(params.id);
  }

  @Contract(retireGenerationRoute)
  retire(@ContractInput() { params }: InputOf<typeof retireGenerationRoute>): Promise<{ data: Generation }> {
    return this.generations.retire(params.id);
  }

  @Contract(reconcileGenerationRoute)
  reconcile(@ContractInput() { params }: InputOf<typeof reconcileGenerationRoute>): Promise<{ data: Generation }> {
    return this.generations.reconcile(params.id);
  }
}
