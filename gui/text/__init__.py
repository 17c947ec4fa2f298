"""Translation, error sentences, formats, and the rows of servers and activities. No widgets."""
