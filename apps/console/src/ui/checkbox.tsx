import { CheckboxButton, CheckboxField, CheckboxGroup, Label } from 'react-aria-components';
import type { ReactNode } from 'react';

interface CheckboxProps {
  isSelected?: boolean;
  onChange?: (isSelected: boolean) => void;
  /** In a group. */
  value?: string;
  children: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <CheckboxField {...props}>
      <CheckboxButton className="choice">
        {({ isSelected }) => (
          <>
            <span className="choice-box" aria-hidden="true">
              {isSelected ? (
                <svg viewBox="0 0 12 12" width="12" height="12">
                  <path d="M2 6.5 5 9.5 10 3" fill="none" stroke="currentColor" strokeWidth="2" />
                </svg>
              ) : null}
            </span>
            <span>{children}</span>
          </>
        )}
      </CheckboxButton>
    </CheckboxField>
  );
}

interface ChoicesProps<Value extends string> {
  label: string;
  options: Readonly<Partial<Record<Value, string>>>;
  value: readonly Value[];
  onChange: (value: Value[]) => void;
}

/** Several of a few. */
export function Choices<Value extends string>({ label, options, value, onChange }: ChoicesProps<Value>) {
  return (
    <CheckboxGroup className="field" value={[...value]} onChange={(chosen) => onChange(chosen as Value[])}>
      <Label className="field-label">{label}</Label>
      <div className="choices">
        {Object.entries(options as Record<string, string>).map(([key, name]) => (
          <Checkbox key={key} value={key}>
            {name}
          </Checkbox>
        ))}
      </div>
    </CheckboxGroup>
  );
}
