import { Controller } from '@nestjs/common';
import {
  createTenantRoute,
  listTenantsRoute,
  previewRetentionRoute,
  tenantRoute,
  updateTenantRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { TenantSettingsService } from './tenant-settings.service.js';
import { TenantsService } from './tenants.service.js';

@Controller()
export class TenantsController {
  constructor(
    private readonly tenants: TenantsService,
    private readonly settings: TenantSettingsService,
  ) {}

  @Contract(createTenantRoute)
  create(@ContractInput() { body }: InputOf<typeof createTenantRoute>): Promise<ResponseOf<typeof createTenantRoute>> {
    return this.tenants.create(body.name);
  }

  @Contract(listTenantsRoute)
  list(@ContractInput() { query }: InputOf<typeof listTenantsRoute>): Promise<ResponseOf<typeof listTenantsRoute>> {
    return this.tenants.list(query);
  }

  @Contract(tenantRoute)
  read(): ResponseOf<typeof tenantRoute> {
    return this.settings.read();
  }

  @Contract(updateTenantRoute)
  update(@ContractInput() { body }: InputOf<typeof updateTenantRoute>): Promise<ResponseOf<typeof updateTenantRoute>> {
    return this.settings.update(body);
  }

  @Contract(previewRetentionRoute)
  preview(): Promise<ResponseOf<typeof previewRetentionRoute>> {
    return this.settings.previewRetention();
  }
}
