"""What charts are drawn with: the house style, marks, lines of text, axes of time."""
