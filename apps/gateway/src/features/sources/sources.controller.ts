import { Controller } from '@nestjs/common';
import {
  checkSourceRoute,
  createSourceRoute,
  deleteSourceRoute,
  getSourceRoute,
  listSourcesRoute,
  updateSourceRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { SourceCheckService } from './source-check.service.js';
import { SourcesService } from './sources.service.js';

@Controller()
export class SourcesController {
  constructor(
    private readonly sources: SourcesService,
    private readonly checks: SourceCheckService,
  ) {}

  @Contract(listSourcesRoute)
  list(@ContractInput() { query }: InputOf<typeof listSourcesRoute>): Promise<ResponseOf<typeof listSourcesRoute>> {
    return this.sources.list(query);
  }

  @Contract(createSourceRoute)
  create(@ContractInput() { body }: InputOf<typeof createSourceRoute>): Promise<ResponseOf<typeof createSourceRoute>> {
    return this.sources.create(body);
  }

  @Contract(getSourceRoute)
  read(@ContractInput() { params }: InputOf<typeof getSourceRoute>): Promise<ResponseOf<typeof getSourceRoute>> {
    return this.sources.read(params.id);
  }

  @Contract(updateSourceRoute)
  update(
    @ContractInput() { params, body }: InputOf<typeof updateSourceRoute>,
  ): Promise<ResponseOf<typeof updateSourceRoute>> {
    return this.sources.update(params.id, body);
  }

  @Contract(deleteSourceRoute)
  remove(
    @ContractInput() { params }: InputOf<typeof deleteSourceRoute>,
  ): Promise<ResponseOf<typeof deleteSourceRoute>> {
    return this.sources.remove(params.id);
  }

  @Contract(checkSourceRoute)
  check(@ContractInput() { params }: InputOf<typeof checkSourceRoute>): Promise<ResponseOf<typeof checkSourceRoute>> {
    return this.checks.check(params.id);
  }
}
