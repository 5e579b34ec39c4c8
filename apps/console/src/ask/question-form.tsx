import { useRef, useState, type SubmitEvent } from 'react';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/text-field.js';

const LONGEST = 2_000;

interface QuestionFormProps {
  isPending: boolean;
  onAsk: (query: string) => void;
  onCancel: () => void;
}

export function QuestionForm({ isPending, onAsk, onCancel }: QuestionFormProps) {
  const [query, setQuery] = useState('');
  const [problem, setProblem] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const trimmed = query.trim();
    const found = trimmed === '' ? 'Write a question first.' : undefined;
    setProblem(found);
    if (!found) onAsk(trimmed);
  };
  return (
    <form className="card" ref={form} onSubmit={submit}>
      <TextField
        label="Question"
        rows={2}
        maxLength={LONGEST}
        value={query}
        onChange={setQuery}
        error={problem}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
        }}
      />
      <div className="form-actions">
        <Button type="submit" variant="primary" isDisabled={isPending}>
          Ask
        </Button>
        {isPending ? <Button onPress={onCancel}>Cancel</Button> : null}
      </div>
    </form>
  );
}
