#!/bin/sh
# Says what a pull request does to knowledge: annotations at their lines, one comment that is written anew each
# time, the same in the summary of the job; and ends as the check does. Where the token may not comment, as in
# pull requests from forks, the annotations remain.
set -u
fail=""
for kind in $FAIL_ON; do
	fail="$fail --fail-on $kind"
done
# shellcheck disable=SC2086 # they are several words
brv-lsp check --base "$BASE" --format github $fail
code=$?
comment="$RUNNER_TEMP/brv-lsp-comment.md"
brv-lsp check --base "$BASE" --format markdown >"$comment"
if ! [ -s "$comment" ]; then
	echo "::error title=brv-lsp::nothing was checked; actions/checkout needs fetch-depth: 0"
	exit 1
fi
cat "$comment" >>"$GITHUB_STEP_SUMMARY"
write() {
	comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
	id=$(gh api "$comments" --paginate --jq \
		'.[] | select(.user.type == "Bot" and (.body | startswith("<!-- brv-lsp check -->"))) | .id') || return 1
	id=$(echo "$id" | head -n 1)
	if [ -n "$id" ]; then
		gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field body=@"$comment" >/dev/null
	elif grep -q '^### ' "$comment"; then # where nothing is to say nobody is told
		gh api --method POST "$comments" --field body=@"$comment" >/dev/null
	fi
}
if [ "$COMMENT" = true ] && [ -n "$PULL_REQUEST" ] && ! write; then
	echo "::notice title=brv-lsp::no comment: the token may not write here, as in pull requests from forks; the annotations say the same"
fi
exit $code
