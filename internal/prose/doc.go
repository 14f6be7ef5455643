// Package prose has tests only. They ask LanguageTool about every text that a person reads: pages, help, settings, and the
// messages of the code.
package prose
