import { Controller } from '@nestjs/common';
import {
  createApiKeyRoute,
  listApiKeysRoute,
  revokeApiKeyRoute,
  rotateApiKeyRoute,
  updateApiKeyRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { ApiKeysService } from './api-keys.service.js';

@Controller()
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Contract(listApiKeysRoute)
  list(@ContractInput() { query }: InputOf<typeof listApiKeysRoute>): Promise<ResponseOf<typeof listApiKeysRoute>> {
    return this.apiKeys.list(query);
  }

  @Contract(createApiKeyRoute)
  create(@ContractInput() { body }: InputOf<typeof createApiKeyRoute>): Promise<ResponseOf<typeof createApiKeyRoute>> {
    return this.apiKeys.create(body);
  }

  @Contract(updateApiKeyRoute)
  update(
    @ContractInput() { params, body }: InputOf<typeof updateApiKeyRoute>,
  ): Promise<ResponseOf<typeof updateApiKeyRoute>> {
    return this.apiKeys.update(params.id, body);
  }

  @Contract(rotateApiKeyRoute)
  rotate(
    @ContractInput() { params, body }: InputOf<typeof rotateApiKeyRoute>,
  ): Promise<ResponseOf<typeof rotateApiKeyRoute>> {
    return this.apiKeys.rotate(params.id, body.overlapSeconds);
  }

  @Contract(revokeApiKeyRoute)
  revoke(@ContractInput() { params }: InputOf<typeof revokeApiKeyRoute>): Promise<null> {
    return this.apiKeys.revoke(params.id);
  }
}
