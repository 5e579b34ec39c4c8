import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import type { ReactNode } from 'react';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  variant?: 'primary' | 'danger' | 'quiet';
  size?: 'small';
  className?: string;
  children: ReactNode;
}

export function Button({ variant, size, className, children, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      className={className ? `button ${className}` : 'button'}
      data-variant={variant}
      data-size={size}
    >
      {props.isPending ? <span className="spinner" aria-hidden="true" /> : null}
      {children}
    </AriaButton>
  );
}
