import { Controller } from '@nestjs/common';
import { deleteSourceItemRoute, sourceItemRoute, type ResponseOf, type SourceItem } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { SourceItemsService } from './source-items.service.js';

@Controller()
export class SourceItemsController {
  constructor(private readonly items: SourceItemsService) {}

  @Contract(sourceItemRoute)
  read(@ContractInput() { params }: InputOf<typeof sourceItemRoute>): Promise<SourceItem> {
    return this.items.read(params.id);
  }

  @Contract(deleteSourceItemRoute)
  delete(
    @ContractInput() { params }: InputOf<typeof deleteSourceItemRoute>,
  ): Promise<ResponseOf<typeof deleteSourceItemRoute>> {
    return this.items.delete(params.id);
  }
}
