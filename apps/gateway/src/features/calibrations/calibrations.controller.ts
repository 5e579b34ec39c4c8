import { Controller } from '@nestjs/common';
import { createCalibrationRoute, listCalibrationsRoute, type ResponseOf } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { CalibrationsService } from './calibrations.service.js';

@Controller()
export class CalibrationsController {
  constructor(private readonly calibrations: CalibrationsService) {}

  @Contract(listCalibrationsRoute)
  list(
    @ContractInput() { query }: InputOf<typeof listCalibrationsRoute>,
  ): Promise<ResponseOf<typeof listCalibrationsRoute>> {
    return this.calibrations.list(query);
  }

  @Contract(createCalibrationRoute)
  create(
    @ContractInput() { body }: InputOf<typeof createCalibrationRoute>,
  ): Promise<ResponseOf<typeof createCalibrationRoute>> {
    return this.calibrations.create(body);
  }
}
