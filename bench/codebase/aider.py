# Asks aider's package for maps of a folder: one request a line on standard input, one
# answer a line on standard output. Between them it asks for the tokens of texts.
import json, os, re, sys

talk = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever the package prints is no answer


def say(value):
    talk.write(json.dumps(value) + "\n")
    talk.flush()


try:
    import importlib.metadata
    from aider.io import InputOutput
    from aider.repomap import RepoMap

    say({"ready": importlib.metadata.version("aider-chat")})
except Exception as error:
    say({"error": repr(error)})
    sys.exit(1)


class Counter:
    """A model as far as maps need one: it counts tokens."""

    def token_count(self, text):
        say({"count": text})
        return int(sys.stdin.readline())


root, cache = sys.argv[1:3]
RepoMap.TAGS_CACHE_DIR = cache
io = InputOutput(pretty=False, yes=True)
maps = RepoMap(root=root, main_model=Counter(), io=io)


def mentioned_files(query, files):
    words = {w.strip("`'\"“”.,:;!?()[]") for w in query.split()}
    stems = {}
    for f in files:
        stems.setdefault(os.path.splitext(os.path.basename(f))[0].lower(), set()).add(f)
    named = {f for f in files if f in words or os.path.basename(f) in words}
    for word in re.findall(r"\w+", query):
        if len(word) >= 5:
            named |= stems.get(word.lower(), set())
    return named


for line in sys.stdin:
    try:
        r = json.loads(line)
        maps.max_map_tokens = r["budget"]
        text = maps.get_ranked_tags_map(
            [], [os.path.join(root, f) for f in r["files"]], r["budget"],
            mentioned_fnames=mentioned_files(r["query"], r["files"]),
            mentioned_idents=set(re.findall(r"\w+", r["query"])),
        )
        say({"map": text or ""})
    except Exception as error:
        say({"error": repr(error)})
