import { Controller } from '@nestjs/common';
import { quotasRoute, setQuotasRoute, type ResponseOf } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { QuotasService } from './quotas.service.js';

@Controller()
export class QuotasController {
  constructor(private readonly quotas: QuotasService) {}

  @Contract(quotasRoute)
  read(): Promise<ResponseOf<typeof quotasRoute>> {
    return this.quotas.read();
  }

  @Contract(setQuotasRoute)
  set(@ContractInput() { body }: InputOf<typeof setQuotasRoute>): Promise<ResponseOf<typeof setQuotasRoute>> {
    return this.quotas.set(body);
  }
}
