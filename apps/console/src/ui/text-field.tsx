import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';

interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'children' | 'style'> {
  label: string;
  hint?: string;
  rows?: number;
  placeholder?: string;
  /** Said by the server or by a check of ours. */
  error?: string | undefined;
}

export function TextField({ label, hint, rows, placeholder, error, ...props }: TextFieldProps) {
  return (
    <AriaTextField {...props} className="field" isInvalid={error !== undefined}>
      <Label>{label}</Label>
      {rows === undefined ? <Input placeholder={placeholder} /> : <TextArea rows={rows} placeholder={placeholder} />}
      {hint ? <Text slot="description">{hint}</Text> : null}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}
