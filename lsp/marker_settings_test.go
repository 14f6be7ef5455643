package lsp_test

// settingsQuestions are those of testdata archives about ...
func settingsQuestions() map[string]question { return nil }
