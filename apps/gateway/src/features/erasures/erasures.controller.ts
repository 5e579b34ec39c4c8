import { Controller } from '@nestjs/common';
import { createErasureRoute, erasureRoute, listErasuresRoute, type ResponseOf } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { ErasuresService } from './erasures.service.js';

@Controller()
export class ErasuresController {
  constructor(private readonly erasures: ErasuresService) {}

  @Contract(createErasureRoute)
  create(
    @ContractInput() { body }: InputOf<typeof createErasureRoute>,
  ): Promise<ResponseOf<typeof createErasureRoute>> {
    return body.kind === 'tenant' ? this.erasures.eraseTenant(body) : this.erasures.erasePerson(body);
  }

  @Contract(listErasuresRoute)
  list(@ContractInput() { query }: InputOf<typeof listErasuresRoute>): Promise<ResponseOf<typeof listErasuresRoute>> {
    return this.erasures.list(query);
  }

  @Contract(erasureRoute)
  read(@ContractInput() { params }: InputOf<typeof erasureRoute>): Promise<ResponseOf<typeof erasureRoute>> {
    return this.erasures.read(params.id);
  }
}
