import { Controller } from '@nestjs/common';
import {
  addCollectionItemsRoute,
  createCollectionRoute,
  deleteCollectionRoute,
  getCollectionRoute,
  listCollectionItemsRoute,
  listCollectionsRoute,
  removeCollectionItemsRoute,
  updateCollectionRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { CollectionItemsService } from './collection-items.service.js';
import { CollectionsService } from './collections.service.js';

@Controller()
export class CollectionsController {
  constructor(
    private readonly collections: CollectionsService,
    private readonly items: CollectionItemsService,
  ) {}

  @Contract(listCollectionsRoute)
  list(
    @ContractInput() { query }: InputOf<typeof listCollectionsRoute>,
  ): Promise<ResponseOf<typeof listCollectionsRoute>> {
    return this.collections.list(query);
  }

  @Contract(createCollectionRoute)
  create(
    @ContractInput() { body }: InputOf<typeof createCollectionRoute>,
  ): Promise<ResponseOf<typeof createCollectionRoute>> {
    return this.collections.create(body);
  }

  @Contract(getCollectionRoute)
  read(
    @ContractInput() { params }: InputOf<typeof getCollectionRoute>,
  ): Promise<ResponseOf<typeof getCollectionRoute>> {
    return this.collections.read(params.id);
  }

  @Contract(updateCollectionRoute)
  update(
    @ContractInput() { params, body }: InputOf<typeof updateCollectionRoute>,
  ): Promise<ResponseOf<typeof updateCollectionRoute>> {
    return this.collections.update(params.id, body);
  }

  @Contract(deleteCollectionRoute)
  delete(@ContractInput() { params }: InputOf<typeof deleteCollectionRoute>): Promise<null> {
    return this.collections.delete(params.id);
  }

  @Contract(listCollectionItemsRoute)
  listItems(
    @ContractInput() { params, query }: InputOf<typeof listCollectionItemsRoute>,
  ): Promise<ResponseOf<typeof listCollectionItemsRoute>> {
    return this.items.list(params.id, query);
  }

  @Contract(addCollectionItemsRoute)
  addItems(
    @ContractInput() { params, body }: InputOf<typeof addCollectionItemsRoute>,
  ): Promise<ResponseOf<typeof addCollectionItemsRoute>> {
    return this.items.add(params.id, body);
  }

  @Contract(removeCollectionItemsRoute)
  removeItems(
    @ContractInput() { params, body }: InputOf<typeof removeCollectionItemsRoute>,
  ): Promise<ResponseOf<typeof removeCollectionItemsRoute>> {
    return this.items.remove(params.id, body);
  }
}
