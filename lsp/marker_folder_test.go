package lsp_test

// folderQuestions are those of testdata archives about ...
func folderQuestions() map[string]question { return nil }
