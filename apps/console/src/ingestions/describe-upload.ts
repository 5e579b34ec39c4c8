import type { ItemState } from '@candor/contracts';

export interface UploadProgress {
  label: string;
  step: number;
  steps: number;
  text: string;
}

const STEPS = ['Sending', 'Accepted', 'Being read', 'Being indexed', 'Searchable'] as const;

export interface UploadStage {
  phase: 'waiting' | 'sending' | 'sent';
  /** Unknown until the server was asked once. */
  status: ItemState | undefined;
}

/** Which of the stages a file is at. */
export function describeUpload({ phase, status }: UploadStage): UploadProgress {
  const steps = STEPS.length - 1;
  const at = (step: number, label: string = STEPS[step] ?? ''): UploadProgress => ({
    label,
    step,
    steps,
    text: `${step} of ${steps}`,
  });
  if (phase === 'waiting') return at(0, 'Waiting for its turn');
  if (phase === 'sending') return at(0);
  switch (status) {
    case undefined:
    case 'accepted':
      return at(1);
    case 'extracting':
      return at(2);
    case 'indexing':
      return at(3);
    case 'indexed':
      return at(4);
    case 'skipped':
      return at(4, 'Unchanged: it was there already');
    case 'failed':
      return at(2, 'Failed');
    case 'superseded':
      return at(4, 'Replaced by a newer version');
    case 'deleting':
    case 'deleted':
      return at(4, 'Deleted');
  }
}
