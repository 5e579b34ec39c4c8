import { Controller } from '@nestjs/common';
import { feedbackRoute, type ResponseOf } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { FeedbackService } from './feedback.service.js';

@Controller()
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Contract(feedbackRoute)
  create(@ContractInput() { body }: InputOf<typeof feedbackRoute>): Promise<ResponseOf<typeof feedbackRoute>> {
    return this.feedback.create(body);
  }
}
