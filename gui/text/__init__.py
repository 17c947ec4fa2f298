"""What is shown as text: translation, error sentences, number formats, presentation. No widgets."""
