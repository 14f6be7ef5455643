// Package llmtest has a scripted model, also as a server, and a wrapper that records what a
// model is asked, for tests.
//
//	m := llmtest.New(t, llmtest.Turn{
//		Want: []llmtest.Want{{In: "system", Text: "quoted"}},
//		Say:  llm.Response{Text: "Once per session."},
//	})
//
// The model answers its turns in order and fails the test where it is asked what
// its script does not foresee, or not asked to the end. A script can be text, for
// test data in txtar files ([Parse], [Load]):
//
//	# comment
//	turn
//	want system: knowledge is quoted
//	want last: token_rotation.md        what came since the model spoke
//	want not any: password              nowhere in the request
//	want tools: search read_entry       these and no others
//	want calls: no                      it is told to answer in text
//	call search {"query": "retry budget", "limit": 3}
//	say Let me look.
//	| A second line.
//	usage 1200 80
//
//	turn
//	fail overloaded
//
// [Serve] plays the same script as a server that speaks OpenAI's chat completions and
// Anthropic's messages, for tests of what stands behind a setting.
package llmtest
